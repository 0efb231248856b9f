/**
 * Makes the end of a log whole before anything is appended to it. Only for the holder of the lock.
 *
 * An append that was cut short leaves bytes behind the last newline. A whole event among them gets its newline;
 * anything else is moved to the side file, so that nothing is thrown away and no later line grows onto it.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { limits } from '../../core/limits.js';
import { parseLine, readRange } from './replay.js';

export interface HealResult {
  readonly size: number;
  /** What was done to the end of the log; null when it was whole. */
  readonly healed: 'terminated' | 'moved' | null;
  readonly tornBytes: number;
}

const newline = 0x0a;
const blockBytes = 64 * 1024;

/** `handle` must be open for reading and appending. */
export async function healTail(handle: FileHandle, tornPath: string): Promise<HealResult> {
  const { size } = await handle.stat();
  const tail = await endOfLastLine(handle, size);
  const tornBytes = size - tail;
  if (tornBytes === 0) return { size, healed: null, tornBytes };
  if (tornBytes <= limits.maxRecordLineBytes) {
    const { kind } = parseLine(await readRange(handle, tail, size));
    // An event of a newer version is whole, too: it parses.
    if (kind !== 'invalid') {
      await handle.appendFile('\n');
      await handle.sync();
      return { size: size + 1, healed: 'terminated', tornBytes };
    }
  }
  await moveTail(handle, tail, size, tornPath);
  return { size: tail, healed: 'moved', tornBytes };
}

/** The side file is on disk before the log is cut: a crash in between leaves the bytes twice, never nowhere. */
async function moveTail(handle: FileHandle, from: number, to: number, tornPath: string): Promise<void> {
  const side = await open(tornPath, 'a', 0o600);
  try {
    const block = Buffer.alloc(blockBytes);
    for (let position = from; position < to; ) {
      const { bytesRead } = await handle.read(block, 0, Math.min(blockBytes, to - position), position);
      if (bytesRead === 0) break;
      await side.appendFile(block.subarray(0, bytesRead));
      position += bytesRead;
    }
    await side.appendFile('\n');
    await side.sync();
  } finally {
    await side.close();
  }
  await handle.truncate(from);
  await handle.sync();
}

/** Offset behind the last newline, looked for from the end. */
async function endOfLastLine(handle: FileHandle, size: number): Promise<number> {
  const block = Buffer.alloc(blockBytes);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - blockBytes);
    const { bytesRead } = await handle.read(block, 0, end - start, start);
    const index = block.subarray(0, bytesRead).lastIndexOf(newline);
    if (index !== -1) return start + index + 1;
    end = start;
  }
  return 0;
}
