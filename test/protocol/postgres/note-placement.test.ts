import { describe, expect, it } from 'vitest';
import { placeNote } from '../../../adapters/postgres/note-placement.js';
import { client, server } from './frames.js';
import { sampleNote as note, run } from './scripted-session.js';

/** Fields of an ErrorResponse in order, after checking that its length is right. */
function fieldsOf(frame: Buffer): string[] {
  expect(frame.readInt32BE(1)).toBe(frame.length - 1);
  expect(frame.at(-1)).toBe(0);
  return frame.subarray(5, -2).toString('latin1').split('\0');
}

describe('note placement', () => {
  it('gives an agent the short form in MESSAGE and the long form in a HINT of its own', () => {
    const placed = placeNote(
      server.error('23505', { D: 'Key (a)=(1).', s: 'public', n: 't_key' }),
      note,
      'agent',
    );
    expect(fieldsOf(placed as Buffer)).toEqual([
      'SERROR',
      'VERROR',
      'C23505',
      `Mmessage of 23505\n${note.short}`,
      'DKey (a)=(1).',
      `H${note.long}`,
      'spublic',
      'nt_key',
    ]);
  });

  it('adds to the hint the server gave, and leaves MESSAGE alone for an application', () => {
    const placed = placeNote(server.error('42703', { H: 'Perhaps "a".', P: '8' }), note, 'application');
    expect(fieldsOf(placed as Buffer)).toEqual([
      'SERROR',
      'VERROR',
      'C42703',
      'Mmessage of 42703',
      `HPerhaps "a".\n${note.long}`,
      'P8',
    ]);
  });

  it.each([
    ['no MESSAGE', { C: '42703' }, ['C42703', `H${note.long}`]],
    ['HINT before MESSAGE', { H: 'h', M: 'm' }, [`Hh\n${note.long}`, `Mm\n${note.short}`]],
    ['DETAIL before MESSAGE', { D: 'd', M: 'm', C: '1' }, ['Dd', `H${note.long}`, `Mm\n${note.short}`, 'C1']],
    ['an unknown field', { M: 'm', '!': 'x' }, [`Mm\n${note.short}`, `H${note.long}`, '!x']],
  ])('copes with %s', (_name, fields, expected) => {
    const body = Object.entries(fields).map(([type, value]) => `${type}${value}\0`);
    const placed = placeNote(server.raw('E', ...body, Buffer.from([0])), note, 'agent');
    expect(fieldsOf(placed as Buffer)).toEqual(expected);
  });

  it('keeps bytes of any encoding as they are', () => {
    const message = Buffer.from([0x4d, 0x83, 0x5c, 0x95, 0x5c, 0]); // SJIS with 0x5C as second byte
    const placed = placeNote(server.raw('E', message, Buffer.from([0])), note, 'agent') as Buffer;
    expect(placed.includes(Buffer.concat([message.subarray(0, -1), Buffer.from(`\n${note.short}\0`)]))).toBe(
      true,
    );
  });

  it('does not annotate twice', () => {
    const once = placeNote(server.error('42703'), note, 'application') as Buffer;
    expect(placeNote(once, note, 'agent')).toBeNull();
  });

  it('leaves a frame without an end alone', () => {
    expect(placeNote(server.raw('E', 'Mmessage'), note, 'agent')).toBeNull();
    expect(placeNote(server.raw('E', 'Mmessage\0'), note, 'agent')).toBeNull();
  });

  it('changes nothing on the wire but the note, wherever the frame is cut', () => {
    const before = [server.rowDescription(), server.row()];
    const error = server.error('22012', { D: 'detail' });
    for (const chunking of ['whole', 'byte by byte', 'all at once'] as const) {
      const { received, events } = run(
        [
          ['c', client.query('select 1/0')],
          ['s', ...before, error, server.ready('I')],
        ],
        { note: () => note, chunking },
      );
      const expected = [...before, placeNote(error, note, 'agent') as Buffer, server.ready('I')];
      expect(received.equals(Buffer.concat(expected))).toBe(true);
      expect(events).toContain(`note ${note.recordId}`);
    }
  });
});
