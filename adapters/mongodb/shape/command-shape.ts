/**
 * A command as the statements it stands for: one for each operation of an insert, update, delete or bulkWrite, else one.
 * Owns the order of arguments and which of them are left out.
 */
import type { TableName } from '../../../src/core/schema/model.js';
import type { VerbFamily } from '../../../src/core/shape/shape.js';
import { bsonType } from '../bson/types.js';
import { Findings } from './budget.js';
import { readBulkWrite } from './bulk-write.js';
import { bracketed, Canonical } from './canonical.js';
import { type Command, commandNamed, genericArguments } from './commands.js';
import type { Level } from './level.js';
import { type Operations, readOperations } from './operations.js';

export interface CommandStatement {
  readonly text: string;
  readonly verb: string;
  readonly family: VerbFamily;
  readonly tables: readonly TableName[];
  /** The database of an operation that names its own. */
  readonly database: string | null;
}

export interface CommandShape {
  /** Empty for a document without an element. */
  readonly statements: readonly CommandStatement[];
  /** Something was left out for its length. */
  readonly isCut: boolean;
}

const asItIs = (text: string): string => text;

export class CommandShaper {
  readonly #canonical = new Canonical(new Findings(0));
  /** The operation that was asked for is not there. */
  #isMissing = false;

  /** `level` stands before the command's first element. `room`: how many units of text may be written. */
  shape(level: Level, wanted: Operations, room: number): CommandShape {
    const findings = new Findings(room);
    this.#canonical.findings = findings;
    this.#isMissing = false;
    const statements = this.#statements(level, wanted);
    return { statements, isCut: findings.isFull || this.#isMissing };
  }

  #statements(level: Level, wanted: Operations): CommandStatement[] {
    if (!level.next()) return [];
    const canonical = this.#canonical;
    const name = level.key();
    if (name === 'explain' && level.type === bsonType.document) return this.#explained(level, wanted);
    if (name === 'bulkWrite') return this.#bulk(level, wanted);
    const command = commandNamed(name);
    const verb = command?.name ?? canonical.key(name);
    canonical.findings.take(`{ ${verb} }`);
    const first = canonical.write(level, command?.first ?? 'type only') ?? '';
    const rest = this.#arguments(level, command, wanted);
    const common = {
      verb,
      family: command?.name === 'findAndModify' && rest.isRemoval ? 'delete' : (command?.family ?? 'other'),
      tables: canonical.findings.tables,
      database: null,
    } as const;
    const hasNone = rest.operations === null || rest.operations.length === 0;
    if (hasNone && command?.operations !== undefined && typeof wanted === 'number') this.#isMissing = true;
    const texts = rest.operations === null || hasNone ? [null] : rest.operations;
    return texts.map((operation) => ({
      ...common,
      text: bracketed('{', [`${verb} ${first}`, ...rest.inOrder(operation)], '}'),
    }));
  }

  #bulk(level: Level, wanted: Operations): CommandStatement[] {
    return readBulkWrite(level, this.#canonical, wanted).map(({ verb, text, database, collection }) => ({
      text,
      verb,
      family: verb,
      tables: collection === '' ? [] : [{ schema: database, name: collection }],
      database,
    }));
  }

  #explained(level: Level, wanted: Operations): CommandStatement[] {
    const inner = level.enter();
    const statements = inner === null ? [] : this.#statements(inner, wanted);
    return statements.map((one) => ({
      ...one,
      text: `{ explain ${one.text} }`,
      verb: 'explain',
      family: 'read',
    }));
  }

  #arguments(level: Level, command: Command | null, wanted: Operations): Arguments {
    const canonical = this.#canonical;
    const { findings } = canonical;
    const rest = new Arguments(command);
    while (!findings.isFull && level.next()) {
      const key = level.key();
      if (key.startsWith('$') || genericArguments.has(key)) continue;
      const part = command?.arguments.get(key) ?? 'type only';
      if (key === command?.operations && level.type === bsonType.array) {
        const read = (operation: Level) => canonical.write(operation, part);
        rest.operations = readOperations(level, wanted, () => findings.isFull, read, asItIs);
        continue;
      }
      const token = canonical.key(key);
      const text = canonical.write(level, part);
      // an empty filter, sort or projection is none
      if (text !== null && text !== '{ }') rest.add(key, findings.take(token), text);
    }
    return rest;
  }
}

/** A command's arguments but the first, as they are read. */
class Arguments {
  readonly #command: Command | null;
  readonly #order: readonly string[];
  readonly #texts: { rank: number; text: string }[] = [];
  /** Null where the command has none. */
  operations: readonly string[] | null = null;
  isRemoval = false;

  constructor(command: Command | null) {
    this.#command = command;
    this.#order = command === null ? [] : [...command.arguments.keys()];
  }

  add(key: string, token: string, text: string): void {
    if (key === 'remove' && text === 'true') this.isRemoval = true;
    this.#texts.push({ rank: this.#rankOf(key), text: `${token} ${text}` });
  }

  /** In the command's order; `operation` is the text of the one operation there is. */
  inOrder(operation: string | null): string[] {
    const key = this.#command?.operations;
    const all = [...this.#texts];
    if (operation !== null && key !== undefined) {
      all.push({ rank: this.#rankOf(key), text: `${key} [ ${operation} ]` });
    }
    all.sort((a, b) => a.rank - b.rank || (a.text < b.text ? -1 : 1));
    return all.map((one) => one.text);
  }

  #rankOf(key: string): number {
    const rank = this.#order.indexOf(key);
    return rank < 0 ? this.#order.length : rank;
  }
}
