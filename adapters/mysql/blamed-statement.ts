/** Which statement an ERR packet is about, beyond the command it answers: EXECUTE and PREPARE carry others. */
import type { Phase, SessionContext } from '../../src/core/verdict.js';
import { owed } from './reply-queue.js';
import type { SessionState } from './session.js';
import { readPrepare } from './sql-prepare.js';
import { Statement } from './statement.js';
import { type StatementKind, statementKind } from './statement-kind.js';

export interface Blamed {
  /** Null where its text is not known. */
  readonly statement: Statement | null;
  /** Which one of its text. */
  readonly index: number;
  readonly kind: StatementKind;
  readonly phase: Phase;
}

/** ER_UNKNOWN_STMT_HANDLER. */
const unknownStatementErrno = 1243;

/** What failed with the command that `state` has just seen the end of. */
export function blamedStatement(
  state: SessionState,
  session: Pick<SessionContext, 'engine' | 'lexical'>,
  errno: number,
): Blamed {
  const { endedStatement: sent, endedIndex: index, endedPhase: phase } = state;
  const isUnknownStatement = errno === unknownStatementErrno;
  // The server knows no statement of this id, so the text we have under it is not what failed.
  if (sent === null || (isUnknownStatement && state.endedKind !== owed.query))
    return { statement: null, index: 0, kind: statementKind.other, phase };
  const kind = sent.kindOf(index, session);
  // An EXECUTE of a name that the server does not know fails as itself.
  if (kind === statementKind.execute && !isUnknownStatement) {
    const executed = state.executed(state.endedSentence(sent));
    if (executed !== null) return { statement: executed, index: 0, kind: executed.kind, phase };
  }
  if (kind === statementKind.prepare) {
    const prepare = readPrepare(state.endedSentence(sent), session.lexical.isBackslashLiteral);
    if (prepare !== null) {
      const statement = prepare.body === null ? null : Statement.synthetic(prepare.body);
      return { statement, index: 0, kind, phase: 'parse' };
    }
  }
  return { statement: sent, index, kind, phase };
}
