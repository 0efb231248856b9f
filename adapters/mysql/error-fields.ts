/**
 * The names in a message of MySQL or MariaDB, as the fields other databases send. Invariant: a value never passes for a
 * name, whatever it holds: a name is taken only from where the server itself put it, told by the text around it from the
 * start of the message or, behind a value, from its end. Where the text is not known (another language, another version)
 * the names are taken by their order, and only from messages that hold no values; else nothing is.
 */
import type { NamedObject } from '../../src/core/failure/failure-class.js';
import type { ServerError } from '../../src/core/verdict.js';
import type { Flavour } from './error-codes.js';
import { messagePatterns, type Pattern } from './error-messages.js';

/** What a message names: as fields of the error, and as an object where no field is for it. */
export interface MessageNames {
  readonly fields: Readonly<Partial<ServerError>>;
  readonly object: NamedObject | null;
}

interface Slot {
  readonly kind: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface CompiledPattern {
  readonly expression: RegExp;
  /** English text before the first slot, where it is long enough to know the language by. */
  readonly head: string | null;
  /** Kinds of the quoted slots in order, where a message in another language can be read by them; else empty. */
  readonly quoted: readonly string[];
  readonly isLastName: boolean;
  readonly holdsValue: boolean;
}

const minHeadLength = 4;
/** Database, table and column of 64 characters each, and what stands between them. */
const maxNameLength = 200;
/** The server cuts its message here (MYSQL_ERRMSG_SIZE is 512): an end that may not be the end tells nothing. */
const maxWholeMessageBytes = 500;
const quote = '[\'"`]';
const inQuotes = '[^\'"`]';
const dot = /['"`]?\.['"`]?/;
const plainPart = /^[\p{L}_$][\p{L}\p{N}_$]{0,63}$/u;

const compiled = new Map<string, readonly CompiledPattern[]>();

function patternsOf(code: string): readonly CompiledPattern[] {
  let patterns = compiled.get(code);
  if (patterns === undefined) {
    patterns = (messagePatterns[Number(code)] ?? []).map(compile);
    if (patterns.length > 0) compiled.set(code, patterns);
  }
  return patterns;
}

function compile(pattern: Pattern): CompiledPattern {
  if (pattern instanceof RegExp) {
    const expression = new RegExp(pattern.source, 'sd');
    return { expression, head: null, quoted: [], isLastName: false, holdsValue: false };
  }
  const isLastName = pattern.startsWith('~');
  const text = isLastName ? pattern.slice(1) : pattern;
  const [head = ''] = text.split(/'?\{/, 1);
  const holdsValue = text.includes('{*}');
  const isValueFirst = holdsValue && /\{\*\}.*\{[a-zA-Z]/s.test(text);
  const source = text
    .replace(/[.*+^$|()[\]\\/]/g, '\\$&')
    .replace(/'?\{([^}]*)\}'?/g, (slot, kind: string) => slotSource(kind.replace('\\', ''), slot));
  return {
    expression: new RegExp(`^${source}${isValueFirst ? '\\.?$' : ''}`, 'sd'),
    head: head.length >= minHeadLength ? head : null,
    quoted: holdsValue ? [] : [...text.matchAll(/'\{([a-zA-Z_?]+)\}'/g)].map(([, kind = '']) => kind),
    isLastName,
    holdsValue,
  };
}

function slotSource(kind: string, slot: string): string {
  const before = slot.startsWith("'") ? quote : '';
  const after = slot.endsWith("'") ? quote : '';
  switch (kind) {
    case '*':
      return `${before}.*${after}`;
    case '_':
    case '?':
      return `${before}${inQuotes}*${after}`;
    default:
      return `${before}(?<${kind}>${inQuotes}+(?:${quote}\\.${quote}${inQuotes}+){0,2})${after}`;
  }
}

/** The names in `message`, which is the server's own text of error `code`. Never throws. */
export function namesInMessage(code: string, message: string, flavour: Flavour): MessageNames {
  return interpret(findSlots(code, message), flavour);
}

/** The fields of the error, and where in `message` they stand. */
export function readErrorFields(code: string, message: string, flavour: Flavour): Partial<ServerError> {
  return namesInMessage(code, message, flavour).fields;
}

function findSlots(code: string, message: string): readonly Slot[] {
  const patterns = patternsOf(code);
  let isEnglish = patterns.length === 0;
  for (const { expression, head, holdsValue } of patterns) {
    if (head === null || message.startsWith(head)) isEnglish = true;
    if (holdsValue && Buffer.byteLength(message) > maxWholeMessageBytes) continue;
    const groups = expression.exec(message)?.indices?.groups;
    if (groups === undefined) continue;
    return Object.entries(groups).map(([kind, [start, end]]) => slotAt(message, kind, start, end));
  }
  const [first] = patterns;
  return isEnglish || first === undefined ? [] : findByOrder(message, first);
}

function slotAt(message: string, kind: string, start: number, end: number): Slot {
  return { kind, text: message.slice(start, end), start, end };
}

/** A quote that begins or ends a name does not touch the letters of a word. */
const quotedText = /(?<![A-Za-z0-9_$])['"`]([^'"`]+(?:['"`]\.['"`][^'"`]+){0,2})['"`](?![A-Za-z0-9_$])/dg;
const lastQuotedText =
  /(?<![A-Za-z0-9_$])['"`]([^'"`]+(?:['"`]\.['"`][^'"`]+){0,2})['"`](?![A-Za-z0-9_$])[^'"`]*$/d;

function findByOrder(message: string, { quoted, isLastName, holdsValue }: CompiledPattern): readonly Slot[] {
  if (holdsValue) {
    const span = isLastName ? lastQuotedText.exec(message)?.indices?.[1] : undefined;
    return span === undefined || Buffer.byteLength(message) > maxWholeMessageBytes
      ? []
      : [slotAt(message, 'key', ...span)];
  }
  const spans = [...message.matchAll(quotedText)].flatMap(({ indices }) => indices?.[1] ?? []);
  const found: (readonly [number, number])[] = [];
  for (let index = 0; index + 1 < spans.length; index += 2) {
    found.push([Number(spans[index]), Number(spans[index + 1])]);
  }
  const isOptional = quoted.at(-1) === '?' && found.length === quoted.length - 1;
  if (found.length !== quoted.length && !isOptional) return [];
  return found.flatMap((span, index) => {
    const kind = quoted[index] ?? '_';
    return /^[a-zA-Z]/.test(kind) ? [slotAt(message, kind, ...span)] : [];
  });
}

type MutableFields = { -readonly [Key in keyof ServerError]?: ServerError[Key] };

function interpret(slots: readonly Slot[], flavour: Flavour): MessageNames {
  const fields: MutableFields = {};
  const nameRanges: (readonly [number, number])[] = [];
  let object: NamedObject | null = null;
  for (const slot of slots) {
    const parts = slot.text.split(dot);
    if (slot.text.length > maxNameLength || parts.some((part) => part === '')) continue;
    object = objectOf(slot.kind, parts) ?? object;
    if (readSlot(slot, parts, fields, flavour)) nameRanges.push([slot.start, slot.end]);
  }
  splitColumnCheck(fields);
  return { fields: { ...fields, nameRanges }, object };
}

/** Fills in the fields of one slot; true where what stands there is declared, and no client's invention. */
function readSlot(
  { kind, text }: Slot,
  parts: readonly string[],
  fields: MutableFields,
  flavour: Flavour,
): boolean {
  switch (kind) {
    case 'key':
      return readKey(text, parts, fields, flavour);
    case 'constraint':
      // InnoDB has the database before a key it names itself: shop/fk1.
      fields.constraint = text.slice(text.lastIndexOf('/') + 1);
      return true;
    case 'column':
      readPath(parts.slice(0, -1), fields);
      fields.column = parts.at(-1) ?? text;
      return true;
    case 'field':
      fields.column = parts.at(-1) ?? text;
      return true;
    case 'table':
      return readPath(parts, fields);
    case 'missing':
      return parts.every(isPlain) && readPath(parts, fields);
    case 'schema':
      fields.schema = text;
      return true;
    case 'noSchema':
      if (isPlain(text)) fields.schema = text;
      return false;
    case 'written':
      if (parts.every(isPlain)) fields.column = parts.join('.');
      return false;
    case 'type':
      if (isPlain(text)) fields.dataType = text;
      return false;
    default:
      return false;
  }
}

/** MySQL from 8.0.19 on has the table before the index, MariaDB never; temporary tables have keys of the server's own. */
function readKey(text: string, parts: readonly string[], fields: MutableFields, flavour: Flavour): boolean {
  if (text.startsWith('<')) return false;
  if (flavour === 'mariadb' || parts.length === 1) {
    fields.constraint = text;
    return true;
  }
  const [table, constraint, ...more] = parts;
  if (table === undefined || constraint === undefined || more.length > 0) return false;
  fields.table = table;
  fields.constraint = constraint;
  return true;
}

/** `users`, or `shop.users`; a name with a dot of its own cannot be told from two. */
function readPath(parts: readonly string[], fields: MutableFields): boolean {
  const [first, second, ...more] = parts;
  if (first === undefined || more.length > 0 || first.startsWith('#')) return false;
  if (second !== undefined) fields.schema = first;
  fields.table = second ?? first;
  return true;
}

/** MariaDB has `users.age` for a check that is written at a column: it has no name but the column's. */
function splitColumnCheck(fields: MutableFields): void {
  const { constraint, table } = fields;
  if (constraint === undefined || table === undefined || !constraint.startsWith(`${table}.`)) return;
  fields.constraint = constraint.slice(table.length + 1);
  fields.column = fields.constraint;
}

function objectOf(kind: string, parts: readonly string[]): NamedObject | null {
  const name = parts.at(-1) ?? '';
  if (!parts.every(isPlain)) return null;
  if (kind === 'routine') return { kind: 'routine', name };
  return kind === 'name' ? { kind: 'name', name: parts.join('.') } : null;
}

function isPlain(part: string): boolean {
  return plainPart.test(part);
}
