/** 1064 and its kin: the statement cannot be read. Nothing of it was run. */
import type { NoteTemplate, TemplateInput } from '../../../src/core/notes/templates.js';
import { mariadbDialect, mysqlDialect } from '../dialect.js';
import { foreignSyntax } from './foreign-syntax.js';
import { missingType } from './foreign-types.js';
import { isMariadb } from './product.js';

export const syntax: NoteTemplate = (input) => {
  const { code, object } = input.record;
  if (code !== '1064' && code !== '1149') return otherCode(code);
  const token = object?.kind === 'token' || object?.kind === 'name' ? object.name.toLowerCase() : '';
  const product = isMariadb(input) ? 'MariaDB' : 'MySQL';
  // Left open at the end it is no token: then the error alone shows it.
  if (/^`{2}|^\S*`{3}/.test(input.shape) || /'`{3}/.test(input.error?.message ?? '')) {
    return 'The text has the backticks of a code block around it: send the statement alone, without them.';
  }
  if (isNameInDoubleQuotes(input)) {
    return 'Names go in backticks: what is in double quotes is a text, unless sql_mode has ANSI_QUOTES.';
  }
  const place = placeInTable(token, input.shape);
  if (place === 'default') {
    return `This is not ${product} syntax. Write DEFAULT CURRENT_TIMESTAMP for times, and any other expression in brackets of its own, as DEFAULT (UUID()).`;
  }
  const type = place === 'type' ? missingType(token, input) : null;
  if (type !== null) return type;
  const foreign = foreignSyntax(token, input);
  if (foreign !== null) return `This is not ${product} syntax. ${foreign}`;
  return ownMistake(token, input);
};

/** What a word in the definition of a table, the first of its kind, stands for. */
function placeInTable(token: string, shape: string): 'type' | 'default' | null {
  if (token === '' || !/^(?:create|alter) (?:\S+ )*?table\b/.test(shape)) return null;
  const text = `${shape} `;
  const at = text.toLowerCase().indexOf(` ${token} `);
  if (at < 0 || !text.slice(0, at).endsWith(' default')) return 'type';
  return /^ (?:\S+ \(|current_(?:date|time)\b)/.test(text.slice(at)) ? 'default' : null;
}

/** The server stops at the quote; without an error at hand, FROM and INTO are followed by a text. */
function isNameInDoubleQuotes({ error, shape }: TemplateInput): boolean {
  if (error !== null && !/'"/.test(error.message)) return false;
  return (
    /\b(?:from|join|into|update|table) \?(?: |$)/.test(shape) &&
    !/^(?:prepare|load|select .* into \?)/.test(shape)
  );
}

const firstWords =
  /^(?:select|insert|update|delete|replace|create|alter|drop|set|use|show|begin|start|commit|call|with)$/;

function ownMistake(token: string, input: TemplateInput): string {
  const { shape } = input;
  if (firstWords.test(token) && isAtStart(token, shape, input.error?.message)) {
    return 'One statement a call: this session takes no second one behind a semicolon, unless its driver is told to allow that (multiStatements).';
  }
  if (/\blimit \?/.test(shape) && isWrongCount(token, input.error?.message ?? '')) {
    return 'LIMIT and OFFSET take whole numbers of zero or more, without quotes: pass them as numbers, and bind them as integers.';
  }
  if (token === '' && /'\?/.test(input.error?.message ?? '')) {
    return 'A ? came as part of a plain text: prepare the statement and pass the values beside it, or write the values themselves.';
  }
  if (/\bfrom \( (?:select|values|with)\b/.test(shape) && token === '' && isMariadb(input)) {
    return 'Give each subquery in FROM an alias: write FROM (SELECT ...) AS t.';
  }
  if (/\bcase\b(?!.*\bend\b)/.test(shape)) return 'CASE needs its END: CASE WHEN ... THEN ... ELSE ... END.';
  if (isReserved(token, input)) {
    return 'The statement does not go on like this: put a reserved word meant as a name in backticks, this one or the one before; else look for a comma, bracket or value missing or too many.';
  }
  return 'Correct the statement where the message says near, which is the first thing that does not fit: look at the comma, bracket, quote or word just before it. Nothing was run.';
}

/** The server stops where the failing statement begins: what follows that word tells it from the same word further on. */
function isAtStart(token: string, shape: string, message = ''): boolean {
  if (!shape.startsWith(`${token} `)) return false;
  if (shape.indexOf(` ${token} `) < 0) return true;
  const [, next = ''] = shape.split(' ', 2);
  const [, after = ''] = /'\s*\S+\s+(\w+|\S)/.exec(message.slice(message.indexOf(` '`))) ?? [];
  return next === '?' ? /^[\d'"]/.test(after) : next === after.toLowerCase();
}

/** A text or a number with a sign in the place of a plain number. */
function isWrongCount(token: string, message: string): boolean {
  return token === ''
    ? /'(?:'|-)/.test(message)
    : token === 'null' || (token === '-' && /'- ?[\d.]/.test(message));
}

function isReserved(token: string, input: TemplateInput): boolean {
  return (isMariadb(input) ? mariadbDialect : mysqlDialect).reserved.has(token);
}

function otherCode(code: string): string {
  switch (code) {
    case '1065':
      return 'The text holds no statement, only spaces or a comment: send one, and no empty part behind a semicolon.';
    case '1308':
    case '1309':
    case '1310':
      return 'A label does not fit: LEAVE and ITERATE name the label of a loop around them, and an end label equals the one at the start.';
    case '1319':
      return 'The condition was not declared: DECLARE name CONDITION FOR SQLSTATE ... first, or name the SQLSTATE itself.';
    case '3953':
    case '3954':
      return 'INTO stands once, at the end of the whole query, and not in a subquery.';
    case '4083':
      return 'The name behind END differs from the one at the start: write the same, or none.';
    case '4125':
      return 'The definition lacks a part that the message names: add it.';
    case '4162':
      return 'There is no such operator: look it up in the manual, and use one of those.';
    default:
      return 'This form is kept for the server itself: write the statement without it.';
  }
}
