/**
 * Names that were read out of a message's text. Servers that quote names and values alike also pass on messages their
 * users wrote, under any number (SIGNAL): there a value may stand where a name is looked for. So a name counts only if the
 * schema declares it, or the statement itself writes it outside of its values, which are not part of its shape.
 */
import type { NamedObject } from '../failure/failure-class.js';
import type { SchemaModel, TableName } from '../schema/model.js';

const wordPart = /[\p{L}\p{N}_$]/u;
const betweenParts = /['"`]?\.['"`]?/;

/** True where `name` is declared as it is (MongoDB has dots in names), or each part of it is declared or written. */
function isRealName(name: string, shape: string, model: Pick<SchemaModel, 'knows'>): boolean {
  return model.knows(name) || name.split('.').every((part) => model.knows(part) || isWritten(part, shape));
}

export function realObject(
  object: NamedObject | null,
  shape: string,
  model: Pick<SchemaModel, 'knows'>,
): NamedObject | null {
  // What is no name cannot be a value in the place of one.
  if (object === null || object.kind === 'token') return object;
  return isRealName(object.name, shape, model) ? object : null;
}

export function realTables(
  tables: readonly TableName[],
  shape: string,
  model: Pick<SchemaModel, 'knows'>,
): readonly TableName[] {
  return tables.filter(({ name }) => isRealName(name, shape, model));
}

/** Of the places of names in `message` those that hold no others than `names` and what the statement writes. */
export function realRanges(
  message: string,
  ranges: readonly (readonly [start: number, end: number])[],
  shape: string,
  names: ReadonlySet<string>,
): readonly (readonly [start: number, end: number])[] {
  return ranges.filter(([start, end]) =>
    message
      .slice(start, end)
      .split(betweenParts)
      .every((part) => names.has(part) || isWritten(part, shape)),
  );
}

/** Without regard to case: not every name is written as it is declared. */
function isWritten(name: string, shape: string): boolean {
  const text = shape.toLowerCase();
  const wanted = name.toLowerCase();
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const isPartOfMore = wordPart.test(text[at - 1] ?? '') || wordPart.test(text[at + wanted.length] ?? '');
    if (!isPartOfMore) return wanted !== '';
  }
  return false;
}
