/**
 * Sessions recorded from real servers by a raw client, after the login: every form of answer, in the order of the events
 * that were checked by hand. `modern` agrees on everything a server offers, `eof` on EOF packets and nothing optional.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Chunking, type Options, run, type Step, sampleNote, sentBytes } from './scripted-session.js';

interface Recording extends Options {
  readonly server: string;
  readonly events: readonly string[];
  /** `c` or `s`, and the bytes in hexadecimal. */
  readonly turns: readonly (readonly ['c' | 's', string])[];
}

const names = ['mysql-modern', 'mysql-eof', 'mariadb-modern', 'mariadb-eof'] as const;

function read(name: string): { readonly recording: Recording; readonly steps: readonly Step[] } {
  const file = new URL(`../../fixtures/mysql/session-${name}.json`, import.meta.url);
  const recording = JSON.parse(readFileSync(file, 'utf8')) as Recording;
  const steps = recording.turns.map(([side, hex]) => [`${side}!`, Buffer.from(hex, 'hex')] as Step);
  return { recording, steps };
}

describe.each(names)('recorded: %s', (name) => {
  const { recording, steps } = read(name);
  const { events, turns: _turns, server: _server, ...terms } = recording;
  const sent = sentBytes(steps);

  it.each([1, 2, 3, 5, 7, 64, 1_000, 'whole', 'all at once'] as readonly Chunking[])(
    'the same events and bytes in pieces of %s',
    (chunking) => {
      const outcome = run(steps, { ...terms, chunking });
      expect(outcome.blind).toBeNull();
      expect(outcome.events).toEqual(events);
      expect(outcome.received.equals(sent)).toBe(true);
    },
  );

  it('the same events wherever one turn is cut in two', () => {
    for (const [index, [side, bytes]] of steps.entries()) {
      if (bytes === undefined) continue;
      // A few places of each turn, other ones each time: together they cover headers, first bytes and payloads.
      const stride = 1 + Math.floor(bytes.length / 4);
      for (let cut = 1 + (index % stride); cut < bytes.length; cut += stride) {
        const halves: Step[] = [
          [side, bytes.subarray(0, cut)],
          [side, bytes.subarray(cut)],
        ];
        const cutSteps = [...steps.slice(0, index), ...halves, ...steps.slice(index + 1)];
        if (run(cutSteps, { ...terms, chunking: 'all at once' }).events.join() !== events.join())
          expect.fail(`turn ${index} cut at ${cut}`);
      }
    }
  });

  it('with notes, only ERR packets change', () => {
    const failures = events.filter((event) => event.startsWith('failed')).length;
    const outcome = run(steps, { ...terms, chunking: 11, note: () => sampleNote });
    const notes = outcome.events.filter((event) => event.startsWith('note')).length;
    expect(outcome.blind).toBeNull();
    expect(notes).toBeGreaterThan(failures / 2);
    expect(outcome.received.length).toBe(sent.length + notes * (sampleNote.long.length + 1));
  });
});
