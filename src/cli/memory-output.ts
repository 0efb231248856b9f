/**
 * Where the memory commands write, and what may be written there.
 *
 * Invariant: text of records comes from statements and servers, so nothing of it reaches a terminal that the terminal
 * would act on: control, bidirectional and invisible characters are shown as escapes.
 */
import { once } from 'node:events';

/** A stream as a terminal or a pipe has it. */
export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface MemoryIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Writes in step with the reader; resolves false once nobody reads any more (`| head`). */
export async function write(stream: OutputStream, text: string): Promise<boolean> {
  if (!stream.writable) return false;
  if (stream.write(text)) return true;
  const done = new AbortController();
  try {
    await Promise.race(
      ['drain', 'close', 'error'].map((event) => once(stream, event, { signal: done.signal })),
    );
  } catch {
    return false; // the reader is gone
  } finally {
    done.abort();
  }
  return stream.writable;
}

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** `text` on one line, with everything a terminal would act on or hide shown as an escape. */
export function visible(text: string): string {
  return text.replace(hidden, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x100) return `\\x${hex(code, 2)}`;
    return code > 0xffff ? `\\u{${hex(code, 4)}}` : `\\u${hex(code, 4)}`;
  });
}

/** JSON on one line that is as safe to print; parses to the same value. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(hidden, (character) =>
    Array.from({ length: character.length }, (_, unit) => `\\u${hex(character.charCodeAt(unit), 4)}`).join(
      '',
    ),
  );
}

/** Columns to fit a table into; null where the output is not a terminal and says nothing. */
export function terminalWidth(io: MemoryIo): number | null {
  if (io.stdout.columns !== undefined && io.stdout.columns > 0) return io.stdout.columns;
  const columns = Number(io.env['COLUMNS']);
  return Number.isInteger(columns) && columns > 0 ? columns : null;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
