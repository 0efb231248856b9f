/**
 * From a template's instruction to a note in two lengths. Owns the bounds, the marker and the last look at every byte:
 * whatever a template returns, a note is one line of printable ASCII without quotes, backslashes or percent signs.
 */
import { type FailureClass, isRetryable } from '../failure/failure-class.js';
import { limits } from '../limits.js';
import type { MemoryRecord } from '../memory/record.js';
import type { SchemaModel } from '../schema/model.js';
import { type Note, notePrefix } from './note.js';
import { isShownName } from './safe-name.js';
import { sqlWords } from './sql-words.js';
import type { NoteTemplate, TemplateInput } from './templates.js';

const unsafeBytes = /[^\x20-\x7e]|["'`\\%]/g;
/** A full stop behind a word or a bracket ends a sentence; the dots of `INSERT ... ON` do not. */
const sentenceEnd = /(?<=[A-Za-z0-9)]\.)\s+(?=[A-Z])/;

/** The last sentence: what not to do. Retryable classes have none, for there it is just what is to be done. */
function boundaryOf(failureClass: FailureClass): string {
  if (isRetryable(failureClass)) return '';
  // The statement itself may be right, only not here and now.
  return failureClass === 'session_state'
    ? ' Do not re-run it unchanged in this state.'
    : ' Do not re-run it unchanged.';
}

/** The note for `input`'s record; `words` may stand in a statement it shows: the long form says how often and what then worked, the short form only what to do. */
export function renderNote(
  template: NoteTemplate,
  input: TemplateInput,
  words: ReadonlySet<string> = sqlWords,
): Note {
  const { record } = input;
  const prefix = `${notePrefix}${record.id.slice(0, 8)}] `;
  const sentences = clean(template(input)).split(sentenceEnd);
  return {
    recordId: record.id,
    short: prefix + takeSentences(sentences, limits.maxShortNoteBytes - prefix.length),
    long: prefix + longForm(sentences, input, words, limits.maxLongNoteBytes - prefix.length),
  };
}

function longForm(
  sentences: readonly string[],
  input: TemplateInput,
  words: ReadonlySet<string>,
  room: number,
): string {
  const { record } = input;
  const end = boundaryOf(record.class);
  const lead = leadSentence(input, input.objectName);
  const resolution = resolutionSentence(record, input.schema, words);
  const join = (start: string, middle: readonly string[], extra: string) =>
    clean(`${start} ${middle.join(' ')}${end}${extra}`);
  const first = sentences.slice(0, 1);
  const candidates = [
    ...(resolution === '' ? [] : [join(lead, sentences, resolution), join(lead, first, resolution)]),
    ...sentences.map((_, dropped) => join(lead, sentences.slice(0, sentences.length - dropped), '')),
    join(leadSentence(input, null), first, ''),
  ];
  const fitting = candidates.find((candidate) => candidate.length <= room);
  if (fitting !== undefined) return fitting;
  const start = clean(leadSentence(input, null));
  const cut = cutAtWord(first.join(''), room - start.length - end.length - 1);
  return `${start} ${cut}${end}`;
}

/** What is claimed of the past is claimed of the statement that has it: a similar one has its own. */
function leadSentence({ record, recalledHow }: TemplateInput, objectName: string | null): string {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(record.firstAt)?.[0];
  const what = objectName === null ? record.class : `${record.class}, ${objectName}`;
  const who = recalledHow === 'similar' ? 'A similar statement' : 'This statement shape';
  if (record.failures < 2) {
    return `${who} failed here before${day === undefined ? '' : `, on ${day}`} (${what}).`;
  }
  const since = day === undefined ? '' : ` since ${day}`;
  return `${who} failed here ${record.failures} times${since} (${what}).`;
}

function resolutionSentence(
  record: MemoryRecord,
  schema: SchemaModel | null,
  words: ReadonlySet<string>,
): string {
  const { resolution } = record;
  if (resolution === null || schema === null) return '';
  const isShown = resolution.shape.split(' ').every((token) => isShowableToken(token, schema, words));
  return isShown ? ` A statement of this shape then ran: ${resolution.shape}` : '';
}

/** Punctuation, holes, words of the language, and names the catalog declares; never a quote, a value or an alias of a client. */
function isShowableToken(token: string, schema: SchemaModel, words: ReadonlySet<string>): boolean {
  if (/^(?:[?()[\]{},.;=<>!+*/|:-]+|\?\+)$/.test(token)) return true;
  if (words.has(token)) return true;
  return token.split('.').every((part) => isShownName(part) && schema.knows(part));
}

/** As many whole sentences as fit; the first one cut at a word where even that does not. */
function takeSentences(sentences: readonly string[], room: number): string {
  for (let count = sentences.length; count > 0; count -= 1) {
    const text = sentences.slice(0, count).join(' ');
    if (text.length <= room) return text;
  }
  return cutAtWord(sentences[0] ?? '', room);
}

function cutAtWord(text: string, room: number): string {
  if (text.length <= room) return text;
  const mark = ' ...';
  const cut = text.slice(0, Math.max(0, room - mark.length + 1));
  const lastSpace = cut.lastIndexOf(' ');
  return lastSpace <= 0 ? '' : `${cut.slice(0, lastSpace)}${mark}`;
}

function clean(text: string): string {
  return text.replace(/\s+/g, ' ').replace(unsafeBytes, '').trim();
}
