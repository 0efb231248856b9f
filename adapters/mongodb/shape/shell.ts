/**
 * Calls as they are written in the shell and in programs: `db.users.find({ … }).sort({ … })`, `db["users"].insertOne(…)`,
 * `await db.collection('users').deleteMany(…)`. Owns how a chain of calls is cut up; what each does is in shell-methods.ts.
 */
import { limits } from '../../../src/core/limits.js';
import { collectionCommands, databaseCommand, type ShellCall } from './shell-methods.js';
import { TextReader } from './text-reader.js';
import { type TreeNode, textNode } from './tree.js';

const lead =
  /^(?:\s|;|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/|(?:await|return|print|printjson|console\.log)\b[\s(]*|(?:const|let|var)\s+[\w$]+\s*=|[\w$]+\s*=(?!=))*/;
const startsChain = /^db(?:\s*\.\s*[\w$]|\s*\[|\.\$)/;

/** Where a chain of calls begins in the text, from `at` on; -1 where something else does. */
export function findChain(text: string, at: number): number {
  const head = text.slice(at, at + maxLeadUnits);
  const start = lead.exec(head)?.[0].length ?? 0;
  return startsChain.test(head.slice(start)) ? at + start : -1;
}

/** What may stand before a chain is short. */
const maxLeadUnits = 2_000;

/** The commands that the chains of a text send, one list for each chain. */
export function readChains(text: string): TreeNode[][] {
  const found: TreeNode[][] = [];
  let at = findChain(text, 0);
  while (at >= 0 && found.length < limits.maxMultiStatements) {
    const reader = new TextReader(text, at + 'db'.length);
    found.push(readChain(reader));
    at = reader.scanner.isAtEnd ? -1 : findChain(text, reader.scanner.at);
    if (at < 0) at = nextLineWithChain(text, reader.scanner.at);
  }
  return found;
}

/** Behind what a line has besides its chain, such as `)` of a print. */
function nextLineWithChain(text: string, from: number): number {
  const line = /^[^\S\n]*[);]*[^\S\n]*(?:\n|;|$)/.exec(text.slice(from, from + maxLeadUnits));
  return line === null || line[0] === '' ? -1 : findChain(text, from + line[0].length);
}

function readChain(reader: TextReader): TreeNode[] {
  const names: string[] = [];
  const calls: ShellCall[] = [];
  let collection: string | null = null;
  for (;;) {
    const link = readLink(reader);
    if (link === null) break;
    if (typeof link === 'string') {
      names.push(link);
      continue;
    }
    const [given] = link.given;
    if (collection === null && calls.length === 0) {
      if (isCollectionGetter(link.name) && given !== undefined) {
        collection = given.text ?? '';
        names.length = 0;
        continue;
      }
      if (isDatabaseGetter(link.name)) {
        names.length = 0;
        continue;
      }
    }
    if (calls.length === 0 && names.length > 0) {
      const name = names.join('.');
      collection = collection === null ? name : `${collection}.${name}`;
      names.length = 0;
    }
    calls.push(link);
  }
  const [first, ...rest] = calls;
  if (first === undefined) return [];
  return collection === null ? databaseCommand(first) : collectionCommands(textNode(collection), first, rest);
}

const isCollectionGetter = (name: string): boolean => name === 'getCollection' || name === 'collection';
const isDatabaseGetter = (name: string): boolean =>
  name === 'getSiblingDB' || name === 'getSiblingDb' || name === 'getMongo';

/** A name, a call, or null at the end of the chain. */
function readLink(reader: TextReader): string | ShellCall | null {
  const { scanner } = reader;
  const mark = scanner.peek();
  if (mark === '[') return readBracketedName(reader);
  if (mark !== '.' && mark !== '?') return null;
  scanner.at += 1;
  if (mark === '?' && !scanner.takes('.')) return null;
  scanner.skipSpace();
  const name = readName(reader);
  if (name === '') return null;
  if (scanner.peek() !== '(') return name;
  return { name: camelCase(name), given: reader.callArguments() };
}

/** `["users"]`; the name of a variable says nothing. */
function readBracketedName({ scanner }: TextReader): string {
  const start = scanner.at;
  scanner.at += 1;
  const mark = scanner.peek();
  const name = mark === '"' || mark === "'" || mark === '`' ? scanner.quoted() : '';
  if (scanner.takes(']')) return name;
  scanner.at = start;
  scanner.skipBrackets();
  return '';
}

const namePattern = /[\w$-]+/y;

function readName({ scanner }: TextReader): string {
  namePattern.lastIndex = scanner.at;
  const name = namePattern.exec(scanner.text)?.[0] ?? '';
  scanner.at += name.length;
  return name;
}

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
