/** What the demo's client does: scenes of statements, each with what must come back for the demo to have worked. */
export type Expected = 'error' | 'error with note' | 'ok';

export interface DemoStep {
  readonly sql: string;
  readonly expected: Expected;
}

export interface DemoScene {
  readonly title: string;
  /** Each scene is a connection of its own, as each conversation of an agent would be. */
  readonly steps: readonly DemoStep[];
}

export const postgresScenes: readonly DemoScene[] = [
  {
    title: 'A rule hidden in a trigger: an account cannot be overdrawn',
    steps: [
      { sql: "update accounts set balance = balance - 250 where owner = 'ada'", expected: 'error' },
      { sql: "update accounts set balance = balance - 180 where owner = 'ada'", expected: 'error with note' },
      { sql: "select balance from accounts where owner = 'ada'", expected: 'ok' },
      { sql: "update accounts set balance = balance - 100 where owner = 'ada'", expected: 'ok' },
    ],
  },
  {
    title: 'A row that exists already',
    steps: [
      {
        sql: "insert into users (email, name) values ('ada@example.org', 'Ada Lovelace')",
        expected: 'error',
      },
      {
        sql: "insert into users (email, name) values ('ada@example.org', 'Augusta Ada')",
        expected: 'error with note',
      },
      {
        sql: "insert into users (email, name) values ('ada@example.org', 'Ada Lovelace') on conflict (email) do update set name = excluded.name",
        expected: 'ok',
      },
    ],
  },
  {
    title: 'The next conversation makes the same mistake for the first time',
    steps: [
      {
        sql: "INSERT INTO users (email, name) VALUES ('ada@example.org', 'Countess of Lovelace')",
        expected: 'error with note',
      },
    ],
  },
];

export const mysqlScenes: readonly DemoScene[] = [
  {
    title: 'A rule of the schema: an account cannot be overdrawn',
    steps: [
      { sql: "update accounts set balance = balance - 250 where owner = 'ada'", expected: 'error' },
      { sql: "update accounts set balance = balance - 180 where owner = 'ada'", expected: 'error with note' },
      { sql: "select balance from accounts where owner = 'ada'", expected: 'ok' },
      { sql: "update accounts set balance = balance - 100 where owner = 'ada'", expected: 'ok' },
    ],
  },
  {
    title: 'A row that exists already',
    steps: [
      {
        sql: "insert into users (email, name) values ('ada@example.org', 'Ada Lovelace')",
        expected: 'error',
      },
      {
        sql: "insert into users (email, name) values ('ada@example.org', 'Augusta Ada')",
        expected: 'error with note',
      },
      {
        sql: "insert into users (email, name) values ('ada@example.org', 'Ada Lovelace') on duplicate key update name = 'Ada Lovelace'",
        expected: 'ok',
      },
    ],
  },
  {
    title: 'The next conversation makes the same mistake for the first time',
    steps: [
      {
        sql: "INSERT INTO users (email, name) VALUES ('ada@example.org', 'Countess of Lovelace')",
        expected: 'error with note',
      },
    ],
  },
];

export const mongodbScenes: readonly DemoScene[] = [
  {
    title: 'A document that exists already',
    steps: [
      {
        sql: '{ "insert": "users", "documents": [{ "email": "ada@example.org", "name": "Ada Lovelace" }] }',
        expected: 'error',
      },
      {
        sql: '{ "insert": "users", "documents": [{ "email": "ada@example.org", "name": "Augusta Ada" }] }',
        expected: 'error with note',
      },
      {
        sql: '{ "update": "users", "updates": [{ "q": { "email": "ada@example.org" }, "u": { "$set": { "name": "Ada Lovelace" } }, "upsert": true }] }',
        expected: 'ok',
      },
    ],
  },
  {
    title: 'An operator that the language does not have',
    steps: [
      { sql: '{ "find": "orders", "filter": { "total": { "$greaterThan": 10 } } }', expected: 'error' },
      {
        sql: '{ "find": "orders", "filter": { "total": { "$greaterThan": 11 } } }',
        expected: 'error with note',
      },
      {
        sql: '{ "find": "orders", "filter": { "total": { "$gt": 10 } }, "projection": { "_id": 0 } }',
        expected: 'ok',
      },
    ],
  },
  {
    title: 'The next conversation makes the same mistake for the first time',
    steps: [
      {
        sql: '{ "insert": "users", "documents": [{ "name": "Countess of Lovelace", "email": "ada@example.org" }] }',
        expected: 'error with note',
      },
    ],
  },
];
