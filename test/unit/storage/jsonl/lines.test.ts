import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walkLines } from '../../../../src/storage/jsonl/lines.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twiceshy-lines-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Walked {
  readonly lines: { text: string; offset: number }[];
  readonly tooLong: [number, number][];
  readonly tail: number;
}

async function walk(text: string, chunkBytes: number, maxLineBytes: number): Promise<Walked> {
  const path = join(folder, 'lines');
  await writeFile(path, text, 'latin1');
  const handle = await open(path);
  const lines: Walked['lines'] = [];
  const tooLong: Walked['tooLong'] = [];
  try {
    const tail = await walkLines(
      handle,
      { to: Buffer.byteLength(text, 'latin1'), chunkBytes, maxLineBytes },
      {
        line: (buffer, start, end, offset) =>
          lines.push({ text: buffer.toString('latin1', start, end), offset }),
        tooLong: (from, to) => tooLong.push([from, to]),
      },
    );
    return { lines, tooLong, tail };
  } finally {
    await handle.close();
  }
}

describe('walkLines', () => {
  it('gives each line once, whatever the size of a chunk', async () => {
    const text = 'a\n\nbcd\nefghij\nrest';
    for (let chunkBytes = 1; chunkBytes <= text.length + 1; chunkBytes++) {
      const { lines, tooLong, tail } = await walk(text, chunkBytes, 16);
      expect(lines).toEqual([
        { text: 'a', offset: 0 },
        { text: '', offset: 2 },
        { text: 'bcd', offset: 3 },
        { text: 'efghij', offset: 7 },
      ]);
      expect(tooLong).toEqual([]);
      expect(tail).toBe(14);
    }
  });

  it('names the place of a line over the bound and goes on behind it', async () => {
    const text = `ok\n${'x'.repeat(50)}\nfine\n`;
    for (const chunkBytes of [1, 3, 7, 50, 51, 200]) {
      const { lines, tooLong, tail } = await walk(text, chunkBytes, 10);
      expect(lines.map((line) => line.text)).toEqual(['ok', 'fine']);
      expect(tooLong).toEqual([[3, 54]]);
      expect(tail).toBe(text.length);
    }
  });

  it('accounts for every byte of any file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', '\n'), { maxLength: 80 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 12 }),
        async (characters, chunkBytes, maxLineBytes) => {
          const text = characters.join('');
          const { lines, tooLong, tail } = await walk(text, chunkBytes, maxLineBytes);
          const pieces = [
            ...lines.map(({ text: line, offset }) => ({ at: offset, text: `${line}\n` })),
            ...tooLong.map(([from, to]) => ({ at: from, text: text.slice(from, to) })),
          ].sort((a, b) => a.at - b.at);
          expect(pieces.map((piece) => piece.text).join('') + text.slice(tail)).toBe(text);
          expect(text.slice(tail)).not.toContain('\n');
          for (const { text: line } of lines) expect(line.length).toBeLessThanOrEqual(maxLineBytes);
        },
      ),
      { numRuns: 300 },
    );
  });
});
