/** Habits of other databases in the bodies of routines and triggers. */
import { both, each, type Habit } from './habit.js';

const body = /^create\b.*\bbegin\b/;

export const triggerBody =
  'Write the body itself behind FOR EACH ROW: one statement, as SET NEW.c = value, or BEGIN ... END; there are no trigger functions.';

const triggers: readonly Habit[] = [
  both(
    /^(?:function|procedure)$/,
    /\btrigger\b.* for each row execute (?:function|procedure)\b/,
    triggerBody,
  ),
  both(
    /^or$/,
    /\btrigger .* (?:before|after) (?:insert|update|delete) or\b/,
    'A trigger is for one event: create one for INSERT and one for UPDATE.',
  ),
  both(
    /^when$/,
    /\btrigger\b.* for each row when\b/,
    'A trigger has no WHEN: write BEGIN IF condition THEN ...; END IF; END.',
  ),
  both(
    /^of$/,
    /\btrigger\b.* update of\b/,
    'UPDATE takes no OF: compare OLD.c and NEW.c in the body, IF NOT OLD.c <=> NEW.c THEN.',
  ),
  both(
    /^instead$/,
    /\binstead of\b/,
    'There is no INSTEAD OF: use BEFORE or AFTER, on the table behind the view.',
  ),
  both(/^statement$/, /\bfor each statement\b/, 'Triggers are FOR EACH ROW only.'),
  both(
    /^(?:begin|set|if|insert|update|delete|call)$/,
    /^create (?:\S+ )*?trigger\b(?:(?! for each row\b).)*$/,
    'A trigger needs FOR EACH ROW before its body.',
  ),
];

const routines: readonly Habit[] = [
  both(
    /^declare$/,
    body,
    'DECLARE stands first in its BEGIN ... END, before any other statement: variables, then cursors, then handlers.',
  ),
  both(
    null,
    /^create (?:or replace )?(?:function|procedure)\b.* as (?:\?|\$\$)/,
    'Write the body itself: CREATE FUNCTION f(a INT) RETURNS INT DETERMINISTIC BEGIN ... END, without AS, quotes and LANGUAGE.',
  ),
  both(/^(?:as|is|begin)$/, /^create\b.* (?:as|is) begin\b/, 'Leave AS and IS out before BEGIN.'),
  both(
    null,
    /^create (?:or replace )?(?:procedure|function) \S+ \( @/,
    'Parameters have no @ here: write PROCEDURE p(IN a INT).',
  ),
  both(
    /^(?:in|out|inout)$/,
    /^create\b.* \( (?:.* , )?[a-z_]\w* (?:in|out|inout) /,
    'IN, OUT and INOUT stand before the name: PROCEDURE p(IN a INT, OUT b INT).',
  ),
  both(
    /^return$/,
    /^create (?:or replace )?(?:function)\b(?:(?!\breturns\b).)*$/,
    'A function is declared with RETURNS type, and gives its value with RETURN.',
  ),
  both(
    /^table$/,
    /\breturns table\b/,
    'A function gives one value: use a procedure that SELECTs the rows, or a view.',
  ),
  both(/^:=$/, body, 'Write DECLARE b INT DEFAULT 5, and SET b = 5, instead of :=.'),
  both(
    /^[a-z_]\w*$|^$/,
    /\braise (?:exception|notice|\?)/,
    'Write SIGNAL SQLSTATE 45000, the number in quotes, SET MESSAGE_TEXT = text, instead of RAISE.',
  ),
  each(
    /^for$/,
    /^create\b.*\bbegin\b.* for \S+ in\b/,
    'There is no FOR loop: write WHILE condition DO ... END WHILE.',
    'Write FOR i IN 1..10 DO ... END FOR, or WHILE condition DO ... END WHILE.',
  ),
  each(/^loop$/, /\bfor \S+ in\b/, null, 'Write FOR i IN 1..10 DO ... END FOR, with DO and not LOOP.'),
  both(
    /^$/,
    /^create\b.*\bbegin\b.*\belse if\b/,
    'Write ELSEIF, as one word: each IF needs an END IF of its own.',
  ),
  both(
    /^$|^;$/,
    /^create\b.*\bbegin\b.*(?<!end )\b(?:if\b[^;]*\bthen|while\b[^;]*\bdo)\b(?!.*\bend (?:if|while)\b)/,
    'IF ends with END IF and WHILE with END WHILE, each with a semicolon.',
  ),
  both(
    null,
    /^create\b.*\bbegin\b.*(?<!;|begin) end$/,
    'Each statement of the body ends with a semicolon, the last one too.',
  ),
];

export const routineHabits: readonly Habit[] = [...triggers, ...routines];
