/** A memory over the real parts of the engine and the catalog of a real server, with one session on it. */
import { BSON, type Db, type Document } from 'mongodb';
import { catalogOfDb } from '../../../adapters/mongodb/catalog.js';
import { commandText } from '../../../adapters/mongodb/command-text.js';
import { mongodbEngine } from '../../../adapters/mongodb/engine.js';
import { MemoryIndex } from '../../../src/core/memory/memory-index.js';
import type { MemoryRecord } from '../../../src/core/memory/record.js';
import type { Note } from '../../../src/core/notes/note.js';
import type { SchemaModel, SchemaSource } from '../../../src/core/schema/model.js';
import { buildSchema } from '../../../src/core/schema/schema.js';
import { VerdictSink } from '../../../src/core/verdict-sink.js';
import { testSession } from '../../support/session-context.js';
import type { RaisedError } from './raise.js';

export interface Outcome {
  readonly note: Note | null;
  readonly records: readonly MemoryRecord[];
}

const shaper = mongodbEngine.createShaper();

export async function readSchema(database: Db): Promise<SchemaModel> {
  return buildSchema(await catalogOfDb(database).read(), 1);
}

/** The command fails twice, in a memory of its own: what the second failure is told, and what was recorded. */
export function failTwice(command: Document, raised: RaisedError, schema: SchemaModel): Outcome {
  const memory = new MemoryIndex();
  const { templates, shownWords, classify } = mongodbEngine;
  const parts = { templates, classify, shaper, ...(shownWords !== undefined && { shownWords }) };
  const sink = new VerdictSink({
    memory,
    schemas: alwaysCurrent(schema),
    counters: { count: () => {} },
    emit: () => {},
    engine: (engine) => (engine === 'mongodb' ? parts : undefined),
    now: () => Date.parse('2026-11-01T00:00:00.000Z'),
  });
  const [database = ''] = schema.defaultSearchPath;
  const handler = sink.openSession(
    testSession({ engine: 'mongodb', backend: 'document', scope: { upstream: 'test', database } }),
  );
  const text = textOf(command, raised.operation);
  const fail = (): Note | null => {
    const note = handler.failed({
      statement: { text: () => text, isTruncated: false },
      completedBefore: 0,
      phase: 'execute',
      error: raised.error,
      before: 'idle',
      isCancelRequested: false,
    });
    handler.settled('idle');
    return note;
  };
  const first = fail();
  if (first !== null) throw new Error('The first failure ever got a note.');
  return { note: fail(), records: [...memory.records()] };
}

function textOf(command: Document, operation: number | null): string {
  const body = Buffer.from(BSON.serialize(command));
  const whole = { body, start: 0, end: body.length, sequences: [], operation, isTruncated: false };
  return commandText(whole).text;
}

function alwaysCurrent(schema: SchemaModel): SchemaSource {
  return {
    current: () => schema,
    isDirty: () => false,
    isInDoubt: () => false,
    refresh: () => {},
    catalogOf: (scope) => scope,
    onRead: () => {},
  };
}
