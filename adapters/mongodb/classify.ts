/**
 * From one error element to what the memory makes of it: the code decides (error-codes.ts), and the text refines the few
 * codes that stand for anything at all. What is read of a text is the server's own: a refinement is looked for at the
 * start of the message, behind what the server puts before its cause, where nothing a client wrote can stand.
 *
 * Codes that begin with SQL_ are those of our own compiler (sql/): it refuses before any server is asked.
 */
import {
  type Classification,
  isRecorded,
  isRetryable,
  type NamedObject,
} from '../../src/core/failure/failure-class.js';
import { redactAround } from '../../src/core/notes/redact.js';
import type { Phase, ServerError } from '../../src/core/verdict.js';
import { type ErrorCode, readErrorCode } from './error-codes.js';
import { nameInMessage } from './error-fields.js';
import { causes } from './error-messages.js';
import { refinements } from './message-classes.js';

interface FailureToClassify {
  readonly error: ServerError;
  readonly phase: Phase;
  readonly isCancelRequested: boolean;
}

type Verdict = Pick<ErrorCode, 'class' | 'isStructural' | 'suggestsDrift'>;

/** The class, the named object and the two facts of an error. */
export function classify({ error }: FailureToClassify): Classification {
  const { class: verdict, isStructural, suggestsDrift } = judge(error);
  return { class: verdict, isStructural, suggestsDrift, object: objectOf(error) ?? wordsOf(error) };
}

function judge({ code, message, labels = [] }: ServerError): Verdict {
  if (code.startsWith('SQL_')) return ofCompiler(code);
  const verdict = refine(code, message) ?? readErrorCode(code);
  return labels.some((label) => asksForAnotherRun.has(label)) ? toBeRunAgain(verdict) : verdict;
}

/** Of the whole transaction, and of its commit alone. */
const asksForAnotherRun: ReadonlySet<string> = new Set([
  'TransientTransactionError',
  'UnknownTransactionCommitResult',
]);

/** A note that asks for another run is one of a class of which the same may be run again. */
function toBeRunAgain(verdict: Verdict): Verdict {
  const isKept = !isRecorded(verdict.class) || isRetryable(verdict.class);
  return isKept ? verdict : { class: 'write_conflict', isStructural: false, suggestsDrift: false };
}

/** No document was looked at; a value only where a parameter or a literal is what is wrong. */
function ofCompiler(code: string): Verdict {
  switch (code) {
    case 'SQL_SYNTAX':
      return { class: 'syntax', isStructural: true, suggestsDrift: false };
    case 'SQL_INVALID':
      return { class: 'invalid_statement', isStructural: false, suggestsDrift: false };
    default: {
      const isStructural = code !== 'SQL_PARAMETER';
      return { class: 'unsupported_translation', isStructural, suggestsDrift: false };
    }
  }
}

/** The text that tells stands at the start; behind it come documents. */
const maxReadLength = 1000;

function refine(code: string, message: string): Verdict | null {
  const candidates = refinements[code];
  if (candidates === undefined) return null;
  const own = message.slice(0, maxReadLength).replace(causes, '');
  for (const [pattern, verdict, ...flags] of candidates) {
    if (!pattern.test(own)) continue;
    return {
      class: verdict,
      isStructural: flags.includes('structural'),
      suggestsDrift: flags.includes('drift'),
    };
  }
  return null;
}

/** The index, the field, the operator or the collection that the error names: the narrowest first. */
function objectOf(error: ServerError): NamedObject | null {
  const { constraint, column, table, message } = error;
  if (constraint) return { kind: 'constraint', name: constraint };
  if (column) return { kind: 'column', name: column };
  const named = nameInMessage(message);
  if (named !== null) return named;
  return table ? { kind: 'table', name: table } : null;
}

const maxWordsLength = 128;

/**
 * Where one code stands for many faults and nothing is named, the server's own words tell them apart. Without them the
 * first failure of one kind would be taken for another of the same collection that came before.
 */
function wordsOf({ code, message }: ServerError): NamedObject | null {
  if (refinements[code] === undefined) return null;
  const words = redactAround(message.slice(0, maxReadLength), []).slice(0, maxWordsLength);
  return words === '' ? null : { kind: 'token', name: words };
}
