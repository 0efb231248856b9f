/**
 * Conditions with their meaning: SQL's three-valued logic over documents, written down a second time and in memory, as the
 * oracle of what servers answer to compiled statements.
 */
import fc from 'fast-check';

export type Truth = boolean | null;
export type Scalar = number | string | boolean | Date | null;

export interface Condition {
  readonly sql: string;
  truth(document: Sample): Truth;
  /** IS UNKNOWN, which is IS NULL: of a bare field, a value that is no condition is not unknown. */
  isUnknown?(document: Sample): boolean;
}

/** `t` alone holds arrays, and `o` a document or a value in its place. */
export interface Sample {
  readonly _id: number;
  readonly n?: Scalar;
  readonly m?: Scalar;
  readonly s?: Scalar;
  readonly b?: Scalar;
  readonly t?: Scalar | readonly Scalar[];
  readonly o?: Scalar | { readonly k?: Scalar };
}

const day = new Date('2024-01-01T00:00:00Z');
const numbers = fc.constantFrom<Scalar>(-1.5, 0, 1, 2, 3);
const texts = fc.constantFrom<Scalar>('', 'a', 'A', 'ab', 'a%b', 'a_b', 'ba\n', '$n', '1', 'é');
const flags = fc.constantFrom<Scalar>(true, false);
const scalar = fc.oneof(numbers, texts, flags, fc.constantFrom<Scalar>(day), fc.constant<Scalar>(null));
const array = fc.array(scalar, { maxLength: 3 });

export const sample = fc.record(
  {
    n: fc.oneof({ weight: 3, arbitrary: numbers }, scalar),
    m: fc.oneof({ weight: 3, arbitrary: numbers }, scalar),
    s: fc.oneof({ weight: 3, arbitrary: texts }, scalar),
    b: fc.oneof({ weight: 3, arbitrary: flags }, scalar),
    t: fc.oneof({ weight: 3, arbitrary: array }, scalar),
    o: fc.oneof({ weight: 3, arbitrary: fc.record({ k: scalar }, { requiredKeys: [] }) }, scalar),
  },
  { requiredKeys: [] },
);

const fields = ['n', 'm', 's', 'b', 't', 'o.k'] as const;
type Field = (typeof fields)[number];
const field = fc.constantFrom<Field>(...fields);
const operators = ['=', '<>', '<', '<=', '>', '>='] as const;
type Operator = (typeof operators)[number];
const operator = fc.constantFrom<Operator>(...operators);

function valueAt(document: Sample, name: Field): Scalar | readonly Scalar[] {
  if (name !== 'o.k') return document[name] ?? null;
  const { o } = document;
  return typeof o === 'object' && o !== null && !(o instanceof Date) ? (o.k ?? null) : null;
}

/** What a comparison looks at: the elements of an array, else the value. */
function elementsAt(document: Sample, name: Field): readonly Scalar[] {
  const value = valueAt(document, name);
  return Array.isArray(value) ? value : [value as Scalar];
}

function kindOf(value: Scalar): string {
  return value instanceof Date ? 'date' : typeof value;
}

function holds(left: Scalar, op: Operator, right: Scalar): Truth {
  if (left === null || right === null) return null;
  const isSameKind = kindOf(left) === kindOf(right);
  const [l, r] = [left, right].map((value) => (value instanceof Date ? value.getTime() : value)) as [
    number,
    number,
  ];
  switch (op) {
    case '=':
      return isSameKind && l === r;
    case '<>':
      return !(isSameKind && l === r);
    case '<':
      return isSameKind && l < r;
    case '<=':
      return isSameKind && l <= r;
    case '>':
      return isSameKind && l > r;
    case '>=':
      return isSameKind && l >= r;
  }
}

/** True where one is, else null where one is. */
function any(truths: readonly Truth[]): Truth {
  if (truths.includes(true)) return true;
  return truths.includes(null) ? null : false;
}

function all(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

function not(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

function compared(document: Sample, name: Field, op: Operator, right: Scalar): Truth {
  // of an array, <> is the opposite of =: no element is equal
  if (op === '<>') return not(compared(document, name, '=', right));
  if (right === null) return null;
  return any(elementsAt(document, name).map((left) => holds(left, op, right)));
}

function literal(value: Scalar): string {
  if (value instanceof Date) return `TIMESTAMP '${value.toISOString()}'`;
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

function isLike(text: string, pattern: string): boolean {
  const [first, ...rest] = [...pattern];
  if (first === undefined) return text === '';
  const characters = [...text];
  if (first === '%') {
    return Array.from({ length: characters.length + 1 }, (_, from) => from).some((from) =>
      isLike(characters.slice(from).join(''), rest.join('')),
    );
  }
  const [head, ...tail] = characters;
  if (head === undefined) return false;
  if (first === '\\') return head === rest[0] && isLike(tail.join(''), rest.slice(1).join(''));
  return (first === '_' || first === head) && isLike(tail.join(''), rest.join(''));
}

const comparison = fc.tuple(field, operator, scalar, fc.boolean()).map(
  ([name, op, value, isMirrored]): Condition => ({
    sql: isMirrored ? `${literal(value)} ${mirror[op]} ${name}` : `${name} ${op} ${literal(value)}`,
    truth: (document) => compared(document, name, op, value),
  }),
);
const mirror: Record<Operator, string> = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

const membership = fc.tuple(field, fc.array(scalar, { minLength: 1, maxLength: 4 }), fc.boolean()).map(
  ([name, items, isNegated]): Condition => ({
    sql: `${name} ${isNegated ? 'NOT IN' : 'IN'} (${items.map(literal).join(', ')})`,
    truth: (document) => {
      const found = any(items.map((item) => compared(document, name, '=', item)));
      return isNegated ? not(found) : found;
    },
  }),
);

const range = fc.tuple(field, scalar, scalar, fc.boolean()).map(
  ([name, low, high, isNegated]): Condition => ({
    sql: `${name} ${isNegated ? 'NOT BETWEEN' : 'BETWEEN'} ${literal(low)} AND ${literal(high)}`,
    truth: (document) => {
      const inside = all([compared(document, name, '>=', low), compared(document, name, '<=', high)]);
      return isNegated ? not(inside) : inside;
    },
  }),
);

const patterns = ['%', 'a%', '%b', '_', 'a_b', 'a\\_b', 'a\\%b', '%\n', '', '$_', 'A'];
const like = fc.tuple(field, fc.constantFrom(...patterns), fc.boolean(), fc.boolean()).map(
  ([name, pattern, isBlind, isNegated]): Condition => ({
    sql: `${name} ${isNegated ? 'NOT ' : ''}${isBlind ? 'ILIKE' : 'LIKE'} ${literal(pattern)}`,
    truth: (document) => {
      const fold = (text: string): string => (isBlind ? text.toLowerCase() : text);
      const matches = any(
        elementsAt(document, name).map((value) =>
          value === null ? null : typeof value === 'string' && isLike(fold(value), fold(pattern)),
        ),
      );
      return isNegated ? not(matches) : matches;
    },
  }),
);

const missing = fc.tuple(field, fc.boolean()).map(
  ([name, isNegated]): Condition => ({
    sql: `${name} IS ${isNegated ? 'NOT ' : ''}NULL`,
    truth: (document) => (valueAt(document, name) === null) !== isNegated,
  }),
);

const bare = field
  .filter((name) => name !== 't')
  .map(
    (name): Condition => ({
      sql: name,
      truth: (document) => {
        const value = valueAt(document, name);
        return typeof value === 'boolean' ? value : null;
      },
      isUnknown: (document) => valueAt(document, name) === null,
    }),
  );

/** Two fields are compared as wholes, so that arrays are left out. */
const whole = field.filter((name) => name !== 't');
const between = fc.tuple(whole, operator, whole).map(
  ([left, op, right]): Condition => ({
    sql: `${left} ${op} ${right}`,
    truth: (document) => holds(valueAt(document, left) as Scalar, op, valueAt(document, right) as Scalar),
  }),
);
const distinct = fc.tuple(whole, whole, fc.boolean()).map(
  ([left, right, isNegated]): Condition => ({
    sql: `${left} IS ${isNegated ? 'NOT ' : ''}DISTINCT FROM ${right}`,
    truth: (document) => {
      const [l, r] = [valueAt(document, left) as Scalar, valueAt(document, right) as Scalar];
      const isSame = l === null || r === null ? l === r : holds(l, '=', r) === true;
      return isSame === isNegated;
    },
  }),
);

export const condition: fc.Arbitrary<Condition> = fc.letrec<{ tree: Condition; leaf: Condition }>((tie) => ({
  leaf: fc.oneof(comparison, membership, range, like, missing, bare, between, distinct),
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    tie('leaf'),
    fc.tuple(tie('tree'), tie('tree')).map(([l, r]) => ({
      sql: `(${l.sql}) AND (${r.sql})`,
      truth: (document: Sample) => all([l.truth(document), r.truth(document)]),
    })),
    fc.tuple(tie('tree'), tie('tree')).map(([l, r]) => ({
      sql: `(${l.sql}) OR (${r.sql})`,
      truth: (document: Sample) => any([l.truth(document), r.truth(document)]),
    })),
    tie('tree').map((inner) => ({
      sql: `NOT (${inner.sql})`,
      truth: (document: Sample) => not(inner.truth(document)),
    })),
    fc
      .tuple(tie('tree'), fc.constantFrom<Truth>(true, false, null), fc.boolean())
      .map(([inner, outcome, isNegated]) => ({
        sql: `(${inner.sql}) IS ${isNegated ? 'NOT ' : ''}${outcome === null ? 'UNKNOWN' : String(outcome).toUpperCase()}`,
        truth: (document: Sample) =>
          outcome === null && inner.isUnknown !== undefined
            ? inner.isUnknown(document) !== isNegated
            : (inner.truth(document) === outcome) !== isNegated,
      })),
  ),
})).tree;
