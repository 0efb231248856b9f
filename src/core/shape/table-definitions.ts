/** Tables that definitions and commands name: CREATE, ALTER, DROP, GRANT, COMMENT, TRUNCATE, LOCK, COPY and their like. */
import { roles } from './roles.js';
import { expects, type TableScopes } from './table-scopes.js';
import { kinds, type Tokens } from './tokens.js';
import type { WordTable } from './words.js';

/** The word being looked at. */
export interface Place {
  readonly tokens: Tokens;
  readonly words: WordTable;
  readonly isMysql: boolean;
  readonly scopes: TableScopes;
  readonly verb: string;
  /** First token of the statement. */
  readonly from: number;
}

/** Sets what the word of role `role` at `i` makes us expect. */
export function readDefinition(place: Place, i: number, role: number, roleBefore: number): void {
  const { scopes, tokens, verb } = place;
  switch (role) {
    case roles.table:
      // EXCHANGE PARTITION p WITH TABLE t
      if (place.isMysql && verb === 'alter table' && roleBefore === roles.with)
        scopes.expect(expects.target, false);
      else if (roleBefore !== roles.returns)
        scopes.expect(expects.target, namesTables(verb) && scopes.depth === 0);
      break;
    case roles.view:
      if (scopes.depth === 0 && verb.endsWith('view')) scopes.expect(expects.target, verb.startsWith('drop'));
      else if (verb === 'refresh' || verb === 'comment') scopes.expect(expects.target, false);
      break;
    case roles.references:
      if (tokens.isName(i + 1)) scopes.expect(expects.target, false);
      break;
    case roles.truncate:
    case roles.lock:
    case roles.copy:
    case roles.vacuum:
    case roles.analyze:
    case roles.analyse:
      if (i === place.from) scopes.expect(expects.target, role !== roles.copy);
      break;
    case roles.inherits:
      scopes.expect(expects.target, false);
      break;
    case roles.column:
      if (verb === 'comment' && roleBefore === roles.on) scopes.expect(expects.column, false);
      break;
    case roles.to:
      if (verb === 'create rule' && isOutside(scopes)) scopes.expect(expects.target, false);
      else if (verb === 'rename table') scopes.expect(expects.target, true);
      else if (place.isMysql && scopes.scope.query !== roles.none) break;
      else scopes.scope.listOf = expects.nothing;
      break;
    default:
      readRelative(place, i, role, roleBefore);
  }
}

/** Words that tell of another table beside the one that is made or altered. */
function readRelative({ scopes, tokens, verb }: Place, i: number, role: number, roleBefore: number): void {
  switch (role) {
    case roles.partition:
      if (verb === 'alter table' && (roleBefore === roles.attach || roleBefore === roles.detach)) {
        scopes.expect(expects.target, false);
      }
      break;
    case roles.of:
      if (verb === 'create table' && roleBefore === roles.partition) scopes.expect(expects.target, false);
      break;
    case roles.inherit:
      if (verb.startsWith('alter')) scopes.expect(expects.target, false);
      break;
    case roles.like:
      if (verb.startsWith('create') && scopes.depth === 1 && scopes.scope.query === roles.none) {
        const before = tokens.kind(i - 1);
        if (before === kinds.openParen || before === kinds.comma) scopes.expect(expects.target, false);
      } else if (verb === 'create table' && isOutside(scopes)) {
        scopes.expect(expects.target, false);
      }
      break;
    default:
  }
}

/** ON of a definition: CREATE INDEX … ON t, GRANT … ON t, COMMENT ON TRIGGER x ON t. */
export function readDefinedOn({ scopes, verb, from, tokens, words }: Place, i: number): void {
  switch (verb) {
    case 'grant':
    case 'revoke':
      // of an account and not of a table
      if (words.text(tokens.word(i - 1)) === 'proxy') break;
      scopes.expect(expects.target, true);
      break;
    case 'comment':
      if (i > from + 1) scopes.expect(expects.target, false);
      break;
    case 'create index':
    case 'drop index':
    case 'create trigger':
    case 'drop trigger':
    case 'alter trigger':
    case 'create policy':
    case 'drop policy':
    case 'alter policy':
    case 'drop rule':
    case 'alter rule':
      if (isOutside(scopes)) scopes.expect(expects.target, false);
      break;
    default:
  }
}

/** In the definition itself and not in a query that is part of it. */
const isOutside = (scopes: TableScopes): boolean => scopes.depth === 0 && scopes.scope.query === roles.none;

/** TABLE may be followed by several: DROP TABLE a, b. */
const namesTables = (verb: string): boolean =>
  verb.endsWith('publication') ||
  !(verb.startsWith('create') || verb.startsWith('alter') || verb.startsWith('import'));

/** Statements in which a kind of object may stand where a table could. */
export const namesObjects = (verb: string): boolean =>
  verb === 'grant' || verb === 'revoke' || verb === 'comment' || verb === 'security';

const otherObjects = new Set(
  `aggregate cast collation conversion constraint database domain extension event function index language large operator
  parameter policy procedure publication role routine rule schema sequence server statistics subscription tablespace
  text transform trigger type`.split(/\s+/),
);

export const isOtherObject = (word: string): boolean => otherObjects.has(word);
