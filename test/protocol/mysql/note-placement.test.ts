import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeMessage, placeNote } from '../../../adapters/mysql/note-placement.js';
import { utf8Decoder } from '../../../src/wire/text-decoders.js';
import { query } from '../../support/mysql-client-packets.js';
import { packet, packets } from '../../support/mysql-protocol.js';
import { error, readError, resultSet } from '../../support/mysql-server-packets.js';
import { eventsOf, sampleNote as note, run, type Step } from './scripted-session.js';

const noSuchColumn = error(1054, "Unknown column 'nope' in 'field list'", '42S22');

/** The packet with the note in it: its length and number right, read again. */
function placed(payload: Buffer, audience: 'agent' | 'application' = 'agent', isWide = false) {
  const before = Buffer.concat([Buffer.from('bytes of a packet before'), packet(payload, 42)]);
  const result = placeNote(before.subarray(before.length - payload.length - 4), note, audience, isWide);
  if (result === null) return null;
  expect(result.readUIntLE(0, 3)).toBe(result.length - 4);
  expect(result[3]).toBe(42);
  expect(result.subarray(4, 4 + payload.length).equals(payload)).toBe(true);
  return readError(result.subarray(4));
}

describe('note placement', () => {
  it('behind the message, after a newline; number, SQLSTATE and message as they were', () => {
    expect(placed(noSuchColumn)).toEqual({
      code: 1054,
      sqlState: '42S22',
      message: `Unknown column 'nope' in 'field list'\n${note.long}`,
    });
  });

  it('copes with a packet without SQLSTATE, and adds none', () => {
    expect(placed(error(1130, "Host 'x' is not allowed", null))).toEqual({
      code: 1130,
      sqlState: null,
      message: `Host 'x' is not allowed\n${note.long}`,
    });
  });

  it('leaves alone a packet whose SQLSTATE is cut short: the note would become part of it', () => {
    for (const cut of ['#', '#4', '#42S2']) {
      const payload = Buffer.concat([error(1130, '', null), Buffer.from(cut)]);
      expect(placed(payload)).toBeNull();
      const steps: Step[] = [
        ['c', query('q')],
        ['s', payload],
      ];
      expect(eventsOf(steps)).toEqual(['bypassed error_frame_malformed']);
    }
    expect(placed(error(1054, ''))?.message).toBe(`\n${note.long}`);
  });

  it('message and note take 511 bytes at most: the long form, else the short one, else none', () => {
    for (let length = 0; length <= 520; length += 1) {
      const message = 'x'.repeat(length);
      const result = placed(error(1054, message));
      const long = `${message}\n${note.long}`;
      const short = `${message}\n${note.short}`;
      const expected = long.length <= 511 ? long : short.length <= 511 ? short : undefined;
      expect(result?.message).toBe(expected);
    }
  });

  it('counts bytes, not characters', () => {
    const short = `\n${note.short}`.length;
    expect(placed(error(1054, 'é'.repeat((511 - short) >> 1)))).not.toBeNull();
    expect(placed(error(1054, 'é'.repeat(((511 - short) >> 1) + 1)))).toBeNull();
  });

  it.each([1044, 1049, 1062, 1263, 1698])('an application gets none on %i, an agent does', (code) => {
    expect(placed(error(code, 'message'), 'application')).toBeNull();
    expect(placed(error(code, 'message'), 'agent')).not.toBeNull();
    expect(placed(noSuchColumn, 'application')).not.toBeNull();
  });

  it('does not annotate twice', () => {
    const once = placeNote(packet(noSuchColumn, 1), note, 'agent', false) as Buffer;
    expect(placeNote(once, note, 'agent', false)).toBeNull();
  });

  it('leaves alone what has no error number', () => {
    expect(placeNote(packet(Buffer.from([0xff, 1]), 1), note, 'agent', false)).toBeNull();
  });

  it('keeps bytes of any encoding as they are', () => {
    const message = Buffer.from([0x83, 0x5c, 0x95, 0x5c, 0xff, 0x80]);
    fc.assert(
      fc.property(fc.uint8Array({ min: 1, maxLength: 300 }), (more) => {
        const payload = Buffer.concat([error(1054, ''), message, Buffer.from(more)]);
        const result = placeNote(packet(payload, 3), note, 'agent', false) as Buffer;
        expect(result.subarray(4, 4 + payload.length).equals(payload)).toBe(true);
        expect(result.subarray(4 + payload.length).toString()).toBe(`\n${note.long}`);
      }),
    );
  });
});

describe('messages in wide character sets', () => {
  const utf16le = (text: string): Buffer => Buffer.from(text, 'utf16le');
  const utf16be = (text: string): Buffer => Buffer.from(utf16le(text)).swap16();
  const utf32 = (text: string): Buffer => {
    const bytes = Buffer.alloc(text.length * 4);
    for (let index = 0; index < text.length; index += 1)
      bytes.writeUInt32BE(text.charCodeAt(index), index * 4);
    return bytes;
  };

  it.each([
    ['UTF-16', utf16be],
    ['UTF-16LE', utf16le],
    ['UTF-32', utf32],
  ])('%s: the note is written likewise, and its bytes count', (_name, encode) => {
    const text = 'Unknown column';
    const payload = Buffer.concat([error(1054, '', '42S22'), encode(text)]);
    const bytes = packet(payload, 1);
    const session = { results: utf8Decoder, isResultsWide: true };
    expect(decodeMessage(bytes, 13, bytes.length, session)).toBe(text);
    const result = placeNote(bytes, note, 'agent', true) as Buffer;
    const long = encode(`${text}\n${note.long}`);
    const short = encode(`${text}\n${note.short}`);
    expect(result.subarray(13).equals(long.length <= 511 ? long : short)).toBe(true);
    expect(result.length).toBeLessThanOrEqual(13 + 511);
    expect(placeNote(result, note, 'agent', true)).toBeNull();
    const full = Buffer.concat([error(1054, '', '42S22'), encode('x'.repeat(120))]);
    const isRoom = encode(`${'x'.repeat(120)}\n${note.short}`).length <= 511;
    expect(placeNote(packet(full, 1), note, 'agent', true) !== null).toBe(isRoom);
  });

  it('no note where the message does not tell: cut at its first zero byte, as the servers do it', () => {
    for (const message of ['', 'U']) {
      expect(placed(error(1054, message), 'agent', true)).toBeNull();
      expect(placed(error(1054, message), 'agent', false)).not.toBeNull();
    }
  });

  it.each([
    ['zeros at odd places', Buffer.from([0x41, 0x42, 0, 0x43])],
    ['an odd number of bytes', Buffer.from([0, 0x41, 0])],
    ['nothing but zeros', Buffer.alloc(8)],
  ])('no note, and no exception, with %s', (_name, message) => {
    const payload = Buffer.concat([error(1054, '', '42S22'), message]);
    expect(placeNote(packet(payload, 1), note, 'agent', true)).toBeNull();
    expect(placeNote(packet(payload, 1), note, 'agent', false)).toBeNull();
    const session = { results: utf8Decoder, isResultsWide: false };
    expect(typeof decodeMessage(payload, 9, payload.length, session)).toBe('string');
  });

  it('UTF-32 beyond what there is becomes a replacement character', () => {
    const message = Buffer.from([0, 0, 0, 0x41, 0xff, 0xff, 0xff, 0xff]);
    const session = { results: utf8Decoder, isResultsWide: true };
    expect(decodeMessage(message, 0, 8, session)).toBe('A\ufffd');
  });
});

describe('notes on the wire', () => {
  const before = resultSet(['a'], [['1'], ['2']]).slice(0, -1);

  it('change nothing but their packet, wherever it is cut', () => {
    const whole = Buffer.concat(
      [...before, noSuchColumn].map((payload, index) => packets(payload, index + 1)),
    );
    const expected = Buffer.concat([
      ...before.map((payload, index) => packets(payload, index + 1)),
      placeNote(packet(noSuchColumn, before.length + 1), note, 'agent', false) as Buffer,
    ]);
    for (let cut = 1; cut < whole.length; cut += 1) {
      const { received, events } = run(
        [
          ['c', query('select f(a) from t')],
          ['s!', whole.subarray(0, cut)],
          ['s!', whole.subarray(cut)],
        ],
        { note: () => note, chunking: 'all at once' },
      );
      expect(received.equals(expected)).toBe(true);
      expect(events).toContain(`note ${note.recordId}`);
    }
  });

  it('that do not fit are counted, and the packet is as it was', () => {
    const long = error(1054, 'x'.repeat(505));
    const { received, events } = run(
      [
        ['c', query('q')],
        ['s', long],
      ],
      { note: () => note },
    );
    expect(events).toEqual([
      'failed 1054 <q> execute k=0 idle',
      'settled idle',
      'bypassed note_does_not_fit',
    ]);
    expect(received.equals(packet(long, 1))).toBe(true);
  });

  it('a chunk with a note in it is one write', () => {
    const { writes } = run(
      [
        ['c', query('q'), query('r')],
        ['s!', Buffer.concat([packet(noSuchColumn, 1), packet(noSuchColumn, 1)])],
      ],
      { note: () => note, chunking: 'all at once' },
    );
    expect(writes.length).toBe(1);
  });

  it('none goes to an application on an error whose message it may read to the end', () => {
    const duplicate = error(1062, "Duplicate entry '1' for key 't.PRIMARY'", '23000');
    const { received, events } = run(
      [
        ['c', query('q')],
        ['s', duplicate],
      ],
      { note: () => note, audience: 'application' },
    );
    expect(received.equals(packet(duplicate, 1))).toBe(true);
    expect(events.some((event) => event.startsWith('note'))).toBe(false);
  });
});
