/** Lines of a stream that someone else made: numbered, bounded, strictly UTF-8. */
import { TwiceshyError } from '../core/errors.js';
import { limits } from '../core/limits.js';

export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** Splits at newlines alone: other characters that end lines elsewhere may stand inside of JSON strings. */
export async function* linesOf(
  source: AsyncIterable<Buffer | string>,
  name: string,
): AsyncGenerator<NumberedLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let number = 1;

  const bound = (bytes: number): void => {
    if (bytes <= limits.maxRecordLineBytes) return;
    throw new TwiceshyError(
      'IMPORT_INVALID',
      `${name}: line ${number}: longer than any event. Nothing was imported.`,
    );
  };
  const decode = (bytes: Buffer): NumberedLine => {
    bound(bytes.length);
    try {
      return { number, text: decoder.decode(bytes) };
    } catch {
      throw new TwiceshyError('IMPORT_INVALID', `${name}: line ${number}: not UTF-8. Nothing was imported.`);
    }
  };

  for await (const piece of source) {
    const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece;
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      kept.push(chunk.subarray(start, end));
      yield decode(Buffer.concat(kept));
      kept = [];
      keptBytes = 0;
      number++;
      start = end + 1;
    }
    kept.push(chunk.subarray(start));
    keptBytes += chunk.length - start;
    bound(keptBytes);
  }
  if (keptBytes > 0) yield decode(Buffer.concat(kept));
}
