/** One failure as a benchmark states it, from whatever corpus. */

import type { SchemaModel } from '../../src/core/schema/model.js';
import type { Backend, Engine, Scope, ServerError } from '../../src/core/verdict.js';

export interface FailureCase {
  /** As the proxy gives it: SQL, a call of the shell, or a command. */
  readonly text: string;
  readonly error: ServerError;
  readonly completedBefore: number;
  readonly isCancelRequested: boolean;
  readonly scope: Scope;
  readonly backend: Backend;
  readonly engine: Engine;
  /** The engine whose rules its text and its error are read by; another than `engine` only where leakage is tried. */
  readonly readAs: Engine;
  readonly searchPath: readonly string[] | null;
  readonly schema: SchemaModel;
}

/** A failure that is learnt, then asked for in other words. */
export interface Scenario {
  readonly name: string;
  readonly expectedClass: string;
  readonly learn: FailureCase;
  readonly recall: readonly Question[];
  readonly abstain: readonly Question[];
}

export interface Question {
  /** What differs from what was learnt. */
  readonly kind: string;
  readonly ask: FailureCase;
}
