/** What a place in a command holds, and so what of it is structure and what is a value. Data: grammar in tables. */

/** Places whose reading needs code (canonical.ts). */
export type PlainPart =
  /** Data: keys and types. */
  | 'value'
  /** Its type and nothing of what is in it. */
  | 'type only'
  /** Not written. */
  | 'dropped'
  /** A document to be stored, as a sorted set of `path:type`. */
  | 'fields'
  /** An update: operators, a pipeline, or a replacement, which is stored. */
  | 'update'
  /** An aggregation expression: paths stay, other scalars are values. */
  | 'expression'
  /** What an operator of an expression is given: an array of arguments, or one. */
  | 'arguments'
  /** A field's value in a filter: operators, or data. */
  | 'condition'
  /** The collection the command is about, or another one that it reads or writes. */
  | 'collection'
  /** `{ db, coll }`. */
  | 'collection elsewhere'
  /** `database.collection`. */
  | 'namespace'
  /** The name of a field, an index, a variable: declared, not stored. */
  | 'name'
  /** True or nothing. */
  | 'flag'
  | 'kept boolean'
  /** One digit. */
  | 'kept digit'
  | 'direction'
  /** In a projection: 0 or 1. */
  | 'shown'
  /** A type by its name or number. */
  | 'bson type'
  | 'regex'
  | 'regex options'
  | 'code'
  | 'locale'
  /** One of the words of a closed list. */
  | 'known word';

export type Part = PlainPart | DocumentPart | ListPart | EitherPart;

export interface DocumentPart {
  readonly form: 'document';
  readonly keys: ReadonlyMap<string, Part>;
  /** Of keys that are not listed: with a dollar sign, and without. */
  readonly operators: () => Part;
  readonly fields: () => Part;
  /** In the order given, where it has a meaning; else sorted. */
  readonly isOrdered: boolean;
  /** Where it is no document. */
  readonly otherwise: Part;
}

export interface ListPart {
  readonly form: 'list';
  readonly item: () => Part;
  /** `all` in order; `run`: equal neighbours are one; `set`: sorted, each once. */
  readonly keeps: 'all' | 'run' | 'set';
  readonly otherwise: () => Part;
}

export interface EitherPart {
  readonly form: 'either';
  readonly document: () => Part;
  readonly array: () => Part;
  readonly scalar: Part;
}

type Keys = Readonly<Record<string, Part>>;

interface DocumentOptions {
  readonly operators?: () => Part;
  readonly fields?: () => Part;
  readonly isOrdered?: boolean;
  readonly otherwise?: Part;
}

const value = (): Part => 'value';

export function documentOf(keys: Keys, options: DocumentOptions = {}): DocumentPart {
  return {
    form: 'document',
    keys: new Map(Object.entries(keys)),
    operators: options.operators ?? value,
    fields: options.fields ?? value,
    isOrdered: options.isOrdered ?? false,
    otherwise: options.otherwise ?? 'value',
  };
}

export function listOf(item: () => Part, keeps: ListPart['keeps'], otherwise: () => Part = item): ListPart {
  return { form: 'list', item, keeps, otherwise };
}

export function either(parts: { document?: () => Part; array?: () => Part; scalar?: Part }): EitherPart {
  const { document = value, array = value, scalar = 'value' } = parts;
  return { form: 'either', document, array, scalar };
}
