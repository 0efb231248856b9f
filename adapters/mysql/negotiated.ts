/** What the login tells the observer: the terms on which everything after it is read. */
import type { Engine } from '../../src/core/verdict.js';

export interface NegotiatedTerms {
  /** The client's flags AND the server's: what is in force. */
  readonly capabilities: number;
  /** MariaDB's second word, likewise; 0 where one of the two ends is not MariaDB's. */
  readonly extendedCapabilities: number;
  readonly engine: Extract<Engine, 'mysql' | 'mariadb'>;
  readonly serverVersion: string;
  readonly connectionId: number;
  /** Collation id of the login packet. */
  readonly characterSet: number;
  /** Status flags of the OK that ended the login. */
  readonly statusFlags: number;
  /** Empty: none. */
  readonly database: string;
}

/** A class, so that the observer can tell it from anything else that a `SessionIdentity` may carry. */
export class Negotiated implements NegotiatedTerms {
  readonly capabilities: number;
  readonly extendedCapabilities: number;
  readonly engine: NegotiatedTerms['engine'];
  readonly serverVersion: string;
  readonly connectionId: number;
  readonly characterSet: number;
  readonly statusFlags: number;
  readonly database: string;

  constructor(terms: NegotiatedTerms) {
    this.capabilities = terms.capabilities;
    this.extendedCapabilities = terms.extendedCapabilities;
    this.engine = terms.engine;
    this.serverVersion = terms.serverVersion;
    this.connectionId = terms.connectionId;
    this.characterSet = terms.characterSet;
    this.statusFlags = terms.statusFlags;
    this.database = terms.database;
  }
}
