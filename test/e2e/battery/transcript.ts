/**
 * What a client saw, in order, as plain data that can be compared between two runs.
 *
 * Invariant: two direct runs of one battery give equal transcripts; what varies by nature (process ids, ports, the
 * name of the database, transaction ids) is replaced on the way in.
 */
import { hasNote } from './notes.js';

export interface Entry {
  readonly step: string;
  readonly [field: string]: unknown;
}

/** Error fields of the protocol by one name each, whatever the client calls them; absent ones are null. */
export const errorFields = [
  'severity',
  'code',
  'message',
  'detail',
  'hint',
  'position',
  'internalPosition',
  'internalQuery',
  'where',
  'schema',
  'table',
  'column',
  'dataType',
  'constraint',
  'file',
  'line',
  'routine',
] as const;

export type ErrorEntry = Readonly<Record<(typeof errorFields)[number], string | null>>;

export class Transcript {
  readonly entries: Entry[] = [];

  add(step: string, fields: Readonly<Record<string, unknown>>): void {
    this.entries.push({ step, ...(normalise(fields) as Record<string, unknown>) });
  }

  /** Records what `work` resolves to, or the fields of the error it rejects with. */
  async attempt(
    step: string,
    work: () => Promise<unknown>,
    describe: (error: unknown) => unknown,
    status?: () => Promise<unknown>,
  ): Promise<void> {
    const after = async (): Promise<Record<string, unknown>> =>
      status === undefined ? {} : { status: await status() };
    try {
      const value = await work();
      this.add(step, { value, ...(await after()) });
    } catch (error) {
      this.add(step, { error: describe(error), ...(await after()) });
    }
  }
}

/** Replaces what differs between two equal runs; numbers, nulls and booleans stay, bytes become hex. */
function normalise(value: unknown): unknown {
  if (typeof value === 'string') return normaliseText(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `hex:${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return value.map(normalise);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, normalise(inner)]));
}

export function normaliseText(text: string): string {
  return text
    .replaceAll(/twiceshy_[0-9a-f]{12}/g, '<database>')
    .replaceAll(/\b([Pp]rocess|PID|transaction) \d+/g, '$1 <n>')
    .replaceAll(/statement (handler )?\(\d+\)/g, 'statement $1(<n>)')
    .replaceAll(/tuple \(\d+,\d+\)/g, 'tuple <n>')
    .replaceAll(/port \d+/g, 'port <n>')
    .replaceAll(/(lo_import|lo_unlink) \d+/g, '$1 <oid>');
}

/** Steps of a proxied transcript in which a note was seen, in order. */
export function stepsWithNotes(entries: readonly Entry[]): string[] {
  return entries.filter((entry) => hasNote(JSON.stringify(entry))).map((entry) => entry.step);
}
