/**
 * Finds, by words alone, what is refused as a whole, whether or not the parser knows it. The checks stand in the order
 * in which they win: what leaves no way on this backend comes before what has another form.
 */
import { refuse } from './refusals.js';
import type { Token } from './token.js';

const definitionWords = new Set(
  'create alter drop truncate rename comment grant revoke reindex refresh'.split(' '),
);
const otherStatements = new Set(
  `values table explain begin start commit end rollback abort savepoint release set reset show copy call do execute exec
  prepare deallocate declare fetch move close listen notify unlisten lock merge replace upsert use describe desc analyze
  vacuum checkpoint discard load import pragma cluster`.split(/\s+/),
);
const clauseWords = new Set(
  'where group having order limit offset fetch for union window returning set values'.split(' '),
);

/** Which of the four statements it is; throws the refusal that wins, if any applies. */
export function recognise(tokens: readonly Token[]): 'select' | 'insert' | 'update' | 'delete' {
  const first = tokens[0];
  if (first === undefined) refuse('SQL_SYNTAX', 'The text holds no statement.', null);
  const words = new Words(tokens);
  const verb = beginning(words, first);
  refuseSetOperations(words);
  refuseSubqueries(words);
  refuseSeveralTables(words, verb);
  refuseWindows(words);
  refuseDistinct(words);
  refuseClauses(words, verb);
  if (first.kind !== 'word') {
    refuse('SQL_STATEMENT', 'Write the statement without parentheses around it.', first.start);
  }
  return verb;
}

/** The tokens with what is asked of them: their words, and how deep in parentheses they stand. */
class Words {
  readonly tokens: readonly Token[];
  readonly depths: readonly number[];

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
    let depth = 0;
    this.depths = tokens.map((token) => {
      if (token.kind !== 'mark') return depth;
      if (token.text === '(') return depth++;
      return token.text === ')' ? --depth : depth;
    });
  }

  /** Text of an unquoted word that is no name by its place, or of a mark; else empty. */
  at(index: number): string {
    const token = this.tokens[index];
    if (token === undefined || (token.kind !== 'word' && token.kind !== 'mark')) return '';
    return token.kind === 'word' && this.isName(index) ? '' : token.text;
  }

  start(index: number): number {
    return this.tokens[index]?.start ?? 0;
  }

  /** Index of the first of these words from `from` on, at any depth or at the top; -1 without one. */
  find(words: string, from = 0, isTop = false): number {
    const wanted = words.split(' ');
    for (let index = from; index < this.tokens.length; index += 1) {
      if (this.tokens[index]?.kind !== 'word' || (isTop && this.depths[index] !== 0)) continue;
      if (wanted.includes(this.at(index))) return index;
    }
    return -1;
  }

  /** Behind a dot, and behind AS, every word is a name. */
  private isName(index: number): boolean {
    const before = this.tokens[index - 1];
    return before?.text === '.' ? before.kind === 'mark' : before?.kind === 'word' && before.text === 'as';
  }
}

function beginning(words: Words, first: Token): 'select' | 'insert' | 'update' | 'delete' {
  let at = 0;
  while (words.at(at) === '(') at += 1;
  const verb = words.at(at);
  const isKnown =
    ['select', 'insert', 'update', 'delete', 'with'].includes(verb) ||
    definitionWords.has(verb) ||
    otherStatements.has(verb);
  if (!isKnown) refuse('SQL_SYNTAX', 'The text begins with no SQL statement.', first.start);
  const separator = words.tokens.findIndex((token) => token.kind === 'mark' && token.text === ';');
  const next = words.tokens.findIndex(
    (token, index) => index > separator && !(token.kind === 'mark' && token.text === ';'),
  );
  if (separator >= 0 && next >= 0) {
    refuse('SQL_SEVERAL_STATEMENTS', 'One statement at a time: send each by itself.', words.start(next));
  }
  for (let index = words.find('with'); index >= 0; index = words.find('with', index + 1)) {
    if (index === at || words.at(index - 1) === '(') {
      refuse('SQL_CTE', 'WITH (a common table expression) cannot be represented.', words.start(index));
    }
  }
  if (definitionWords.has(verb)) {
    refuse(
      'SQL_DDL',
      `${verb.toUpperCase()} defines things: use the commands of the database, such as createIndexes.`,
      words.start(at),
    );
  }
  if (otherStatements.has(verb)) {
    refuse('SQL_STATEMENT', `${verb.toUpperCase()} is no statement of this surface.`, words.start(at));
  }
  return verb as 'select' | 'insert' | 'update' | 'delete';
}

function refuseSetOperations(words: Words): void {
  const at = words.find('union intersect except');
  if (at < 0) return;
  refuse(
    'SQL_SET_OPERATION',
    `${words.at(at).toUpperCase()} combines two queries and cannot be represented: send each by itself.`,
    words.start(at),
  );
}

function refuseSubqueries(words: Words): void {
  for (let at = words.find('select', 1); at >= 0; at = words.find('select', at + 1)) {
    // a statement in parentheses is another matter
    if (words.tokens.slice(0, at).every((token) => token.text === '(')) continue;
    const isInsert = words.at(0) === 'insert' && words.depths[at] === 0;
    refuse(
      'SQL_SUBQUERY',
      isInsert
        ? 'INSERT … SELECT holds a query and cannot be represented: insert VALUES.'
        : 'A query within the statement cannot be represented: send it by itself.',
      words.start(at),
    );
  }
  const values = words.find('values', 1);
  if (values > 0 && words.at(values - 1) === '(' && words.at(0) === 'select') {
    refuse('SQL_SUBQUERY', 'VALUES within a query cannot be represented.', words.start(values));
  }
}

function refuseSeveralTables(words: Words, verb: string): void {
  const join = words.find('join straight_join');
  if (join >= 0) {
    refuse(
      'SQL_JOIN',
      'JOIN needs two collections, and a statement here reads one. A $lookup stage joins them natively.',
      words.start(join),
    );
  }
  let from = words.find('from', 1, true);
  while (from > 0 && words.at(from - 1) === 'distinct') from = words.find('from', from + 1, true);
  const using = verb === 'delete' ? words.find('using', 1, true) : -1;
  const second = verb === 'update' && from >= 0 ? from : using;
  const comma = verb === 'update' ? tableComma(words, 0) : from < 0 ? -1 : tableComma(words, from);
  const at = second >= 0 ? second : comma;
  if (at < 0) return;
  refuse(
    'SQL_SEVERAL_TABLES',
    'The statement names several collections, and a statement here works on one.',
    words.start(at),
  );
}

/** The comma in a list of tables that begins behind `from`. */
function tableComma(words: Words, from: number): number {
  for (let at = from + 1; at < words.tokens.length; at += 1) {
    if (words.depths[at] !== 0) continue;
    if (clauseWords.has(words.at(at))) return -1;
    if (words.at(at) === ',') return at;
  }
  return -1;
}

function refuseWindows(words: Words): void {
  for (let at = words.find('over'); at >= 0; at = words.find('over', at + 1)) {
    if (words.at(at - 1) !== ')') continue;
    const next = words.tokens[at + 1];
    if (next?.kind !== 'word' && next?.kind !== 'quoted' && next?.text !== '(') continue;
    // an alias of that name has another clause behind it
    if (words.at(at + 1) === 'from') continue;
    refuse('SQL_WINDOW', 'A window function (OVER) cannot be represented.', words.start(at));
  }
  const window = words.find('window', 1, true);
  if (window > 0) refuse('SQL_WINDOW', 'WINDOW cannot be represented.', words.start(window));
}

function refuseDistinct(words: Words): void {
  const select = words.find('select');
  const word = words.at(select + 1);
  if (select < 0 || (word !== 'distinct' && word !== 'distinctrow')) return;
  const isOn = words.at(select + 2) === 'on';
  refuse(
    'SQL_DISTINCT',
    isOn
      ? 'SELECT DISTINCT ON cannot be represented; GROUP BY with MIN or MAX may answer the question.'
      : 'SELECT DISTINCT cannot be represented; GROUP BY the same columns gives the same rows.',
    words.start(select + 1),
  );
}

function refuseClauses(words: Words, verb: string): void {
  const refuseAt = (at: number, clause: string): void => {
    if (at > 0) refuse('SQL_CLAUSE', `${clause} cannot be represented.`, words.start(at));
  };
  refuseAt(words.find('returning', 1, true), 'RETURNING');
  if (verb === 'select') {
    refuseAt(words.find('into', 1, true), 'SELECT INTO');
    refuseAt(words.find('for', 1, true), 'FOR (locking rows)');
    refuseAt(words.find('tablesample', 1, true), 'TABLESAMPLE');
    if (words.at(1) === 'top' && ['number', 'parameter'].includes(words.tokens[2]?.kind ?? '')) {
      refuse('SQL_CLAUSE', 'TOP is no clause of this surface: use LIMIT.', words.start(1));
    }
    refuseGroupings(words);
    refuseBounds(words);
    return;
  }
  refuseAt(
    verb === 'insert' ? -1 : words.find('order limit offset fetch', 1, true),
    'ORDER BY or LIMIT on a write',
  );
  if (verb === 'delete') return;
  if (verb === 'update') {
    const current = words.find('current', 1, true);
    if (words.at(current + 1) === 'of') refuseAt(current, 'WHERE CURRENT OF');
    return;
  }
  refuseAt(words.find('ignore overriding', 1, true), 'IGNORE or OVERRIDING');
  const on = words.find('on', 1, true);
  refuseAt(on, words.at(on + 1) === 'duplicate' ? 'ON DUPLICATE KEY' : 'ON CONFLICT');
  const defaults = words.find('default', 1, true);
  if (words.at(defaults + 1) === 'values') refuseAt(defaults, 'DEFAULT VALUES');
}

function refuseGroupings(words: Words): void {
  const group = words.find('group', 1, true);
  if (group < 0) {
    const having = words.find('having', 1, true);
    if (having > 0) refuse('SQL_CLAUSE', 'HAVING stands behind GROUP BY.', words.start(having));
    return;
  }
  const at = words.find('rollup cube grouping', group, true);
  if (at > 0) {
    refuse('SQL_CLAUSE', 'ROLLUP, CUBE and GROUPING SETS cannot be represented.', words.start(at));
  }
}

function refuseBounds(words: Words): void {
  const limit = words.find('limit', 1, true);
  for (let at = limit; limit > 0 && at < words.tokens.length; at += 1) {
    if (words.depths[at] !== 0 || words.at(at) !== ',') continue;
    refuse('SQL_CLAUSE', 'LIMIT takes one number: write LIMIT … OFFSET ….', words.start(at));
  }
  const ties = words.find('ties', 1, true);
  if (words.at(ties - 1) === 'with') {
    refuse('SQL_CLAUSE', 'FETCH … WITH TIES cannot be represented.', words.start(ties));
  }
}
