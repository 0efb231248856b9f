/** What the command line writes and where: results on stdout, everything else on stderr. */
import { TwiceshyError } from '../core/errors.js';

/** Writes one line of a result; a reader that has gone away (EPIPE) is none of our business. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Keeps a closed pipe (`twiceshy … | head`) from ending the process with a stack trace. */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') process.exitCode = 1;
    });
  }
}

/** Says what went wrong on stderr and returns the exit code for it. */
export function explain(error: unknown): 1 | 2 {
  if (error instanceof TwiceshyError) {
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  // Not one of ours: its message may quote what it stumbled over, so only its kind and place are shown.
  const stack = error instanceof Error ? placesOf(error) : '';
  const name = error instanceof Error ? error.name : typeof error;
  process.stderr.write(`Unexpected ${name}; this is a defect of twiceshy.\n${stack}`);
  return 1;
}

/** Where an error came from, without its message. */
export function placesOf(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return frames.map((line) => `${line}\n`).join('');
}
