/**
 * The names in one error element of a reply, as the fields other databases send. Invariant: a value never passes for a
 * name: one is taken only from where the server itself puts it, told by its own text before it, and the sink counts it
 * only if the catalog declares it or the statement writes it.
 */
import type { NamedObject } from '../../src/core/failure/failure-class.js';
import type { ServerError } from '../../src/core/verdict.js';
import { causes, messagePatterns } from './error-messages.js';
import { unpackedCode } from './packed-sqlstate.js';

/** What the observer read of one failure: of the reply itself, of one of its writeErrors, or of a writeConcernError. */
export interface ErrorReply {
  /** Null where the server sent none (servers before MongoDB 4, some proxies). */
  readonly code: number | null;
  readonly codeName: string | null;
  readonly errmsg: string;
  /** `errorLabels` of the reply and of the element. */
  readonly labels: readonly string[];
  /** Names of the fields of `keyPattern`, in order; empty where the reply has none. */
  readonly keyPattern: readonly string[];
}

/** Names stand at the start of a message; behind it come documents that may be as long as a client likes. */
const maxReadLength = 1000;
const maxNameLength = 200;

type MutableFields = { -readonly [Key in keyof ServerError]?: ServerError[Key] };

/** `reply` in the words of every database. Never throws. */
export function serverError({ code, codeName, errmsg, labels, keyPattern }: ErrorReply): ServerError {
  const fields: MutableFields = {};
  const nameRanges = readNames(errmsg, fields);
  const [keyField, ...more] = keyPattern;
  if (keyField !== undefined && more.length === 0 && isPath(keyField)) fields.column ??= keyField;
  return {
    code: code === null ? '' : String(unpackedCode(code)),
    message: errmsg,
    ...(codeName !== null && { codeName }),
    ...(labels.length > 0 && { labels }),
    ...fields,
    nameRanges,
  };
}

/** The operator, stage, command, variable or option that `message` names, where no field is for it. */
export function nameInMessage(message: string): NamedObject | null {
  const range = groupsOf(message)?.['name'];
  return range === undefined ? null : { kind: 'name', name: message.slice(...range) };
}

type Groups = Readonly<Record<string, [start: number, end: number] | undefined>>;

function groupsOf(message: string): Groups | null {
  const text = message.slice(0, maxReadLength);
  const start = causes.exec(text)?.[0].length ?? 0;
  const own = text.slice(start);
  for (const pattern of compiled) {
    const groups = pattern.exec(own)?.indices?.groups;
    if (groups === undefined) continue;
    return Object.fromEntries(
      Object.entries(groups).map(([kind, range]) => [kind, range && [range[0] + start, range[1] + start]]),
    );
  }
  return null;
}

const compiled = messagePatterns.map(({ source }) => new RegExp(source, 'ds'));

function readNames(message: string, fields: MutableFields): (readonly [number, number])[] {
  const ranges: (readonly [number, number])[] = [];
  for (const [kind, range] of Object.entries(groupsOf(message) ?? {})) {
    if (range === undefined) continue;
    const text = message.slice(...range);
    if (text.length <= maxNameLength && readName(kind, text, fields)) ranges.push(range);
  }
  return ranges.sort(([a], [b]) => a - b);
}

/** Fills in one field; true where what stands there may be remembered as it is. */
function readName(kind: string, text: string, fields: MutableFields): boolean {
  switch (kind) {
    case 'ns': {
      const dot = text.indexOf('.');
      if (dot <= 0 || dot === text.length - 1) return false;
      fields.schema = text.slice(0, dot);
      fields.table = text.slice(dot + 1);
      return true;
    }
    case 'schema':
    case 'table':
    case 'constraint':
      fields[kind] = text;
      return true;
    case 'column':
      if (isPath(text)) fields.column = text;
      return isPath(text);
    default:
      // An operator is no name of the schema, but the server's own word for what the client wrote.
      return kind === 'at';
  }
}

/** A path as documents are usually made of: anything else is as likely a value used as a key. */
function isPath(text: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+)*$/u.test(text);
}
