/** A database as far as the catalog asks: what it declares, what it refuses, and what it was asked. */
import type { Db, Document } from 'mongodb';

export class FakeCatalogDb {
  collections: Document[] = [];
  indexes: Record<string, Document[]> = {};
  /** What serverStatus has under metrics; null: nothing. */
  metrics: Document | null = null;
  /** Codes of errors, by command as `asked` has it; `listIndexes` stands for those of every collection. */
  readonly refusals: Record<string, number> = {};
  /** The commands, in order. */
  asked: string[] = [];
  /** Called with each command, before it is answered. */
  onCommand: () => void = () => undefined;

  get db(): Db {
    const fake = {
      databaseName: 'shop',
      command: async (command: Document) => {
        this.#ask(command);
        return { ok: 1, ...(this.metrics !== null && { metrics: this.metrics }) };
      },
      runCursorCommand: (command: Document) => this.#cursor(command),
    };
    return fake as unknown as Db;
  }

  take(): string {
    return this.asked.splice(0).join(' ');
  }

  #ask(command: Document): string {
    const [name = ''] = Object.keys(command);
    const asked =
      command['nameOnly'] === true
        ? `${name}(names)`
        : name === 'listIndexes'
          ? `${name}:${command[name]}`
          : name;
    this.asked.push(asked);
    this.onCommand();
    const code = this.refusals[asked] ?? (name === 'listIndexes' ? this.refusals[name] : undefined);
    if (code !== undefined) throw Object.assign(new Error(`refused ${name}`), { code });
    return name;
  }

  #cursor(command: Document) {
    const documents = async function* (this: FakeCatalogDb): AsyncGenerator<Document> {
      if (this.#ask(command) === 'listIndexes') yield* this.indexes[command['listIndexes']] ?? [idIndex];
      else if (command['nameOnly'] !== true) yield* this.collections;
      else for (const { name, type } of this.collections) yield { name, type };
    };
    return Object.assign(documents.call(this), { setBatchSize: () => undefined });
  }
}

export const idIndex = { v: 2, key: { _id: 1 }, name: '_id_' };
