/**
 * One instance of each repeated part of a record. A million records share a few scopes, codes, table sets and
 * fingerprints; without this the memory would hold a copy of each for every record.
 */
import type { NamedObject } from '../failure/failure-class.js';
import type { Scope } from '../verdict.js';
import type { MemoryRecord, RecordFingerprint } from './record.js';

type Parts =
  | 'scope'
  | 'backend'
  | 'engine'
  | 'holes'
  | 'tables'
  | 'verb'
  | 'fingerprint'
  | 'class'
  | 'code'
  | 'object'
  | 'phase'
  | 'after';
type Sharable = { -readonly [K in Parts]: MemoryRecord[K] };

export class Interning {
  readonly #strings = new Map<string, string>();
  readonly #scopes = new Map<string, Scope>();
  readonly #tables = new Map<string, readonly string[]>();
  readonly #fingerprints = new Map<string, RecordFingerprint>();
  readonly #objects = new Map<string, NamedObject>();

  /** Replaces the record's repeated parts by the shared instances; `shape` is left to the index, which keys by it. */
  share(record: Sharable): void {
    record.scope = this.scope(record.scope);
    record.backend = this.#string(record.backend);
    record.engine = this.#string(record.engine);
    record.holes = this.#string(record.holes);
    record.tables = this.#tableSet(record.tables);
    record.verb = this.#string(record.verb);
    record.fingerprint = this.#fingerprint(record.fingerprint);
    record.class = this.#string(record.class);
    record.code = this.#string(record.code);
    if (record.object !== null) record.object = this.#object(record.object);
    record.phase = this.#string(record.phase);
    record.after = this.#string(record.after);
  }

  /** The shared instance of a table set, or undefined where no record has it. */
  knownTables(tables: readonly string[]): readonly string[] | undefined {
    return this.#tables.get(tableKey(tables));
  }

  #string<T extends string>(value: T): T {
    const known = this.#strings.get(value);
    if (known !== undefined) return known as T;
    this.#strings.set(value, value);
    return value;
  }

  /** The shared instance of a scope; the same until the process ends. */
  scope(scope: Scope): Scope {
    const key = `${scope.upstream}\0${scope.database}`;
    let known = this.#scopes.get(key);
    if (known === undefined) {
      known = { upstream: scope.upstream, database: scope.database };
      this.#scopes.set(key, known);
    }
    return known;
  }

  #tableSet(tables: readonly string[]): readonly string[] {
    const key = tableKey(tables);
    let known = this.#tables.get(key);
    if (known === undefined) {
      known = tables.map((name) => this.#string(name));
      this.#tables.set(key, known);
    }
    return known;
  }

  // Keyed by the part that varies most; two constraint states of one table set take turns, which only costs a copy.
  #fingerprint(fingerprint: RecordFingerprint): RecordFingerprint {
    const known = this.#fingerprints.get(fingerprint.tables);
    if (known?.constraints === fingerprint.constraints && known.database === fingerprint.database)
      return known;
    const shared = {
      tables: this.#string(fingerprint.tables),
      constraints: this.#string(fingerprint.constraints),
      database: this.#string(fingerprint.database),
    };
    this.#fingerprints.set(shared.tables, shared);
    return shared;
  }

  #object(object: NamedObject): NamedObject {
    const known = this.#objects.get(object.name);
    if (known?.kind === object.kind) return known;
    const shared = { kind: object.kind, name: object.name };
    this.#objects.set(shared.name, shared);
    return shared;
  }
}

function tableKey(tables: readonly string[]): string {
  return tables.length === 1 ? (tables[0] ?? '') : tables.join('\0');
}
