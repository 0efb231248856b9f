/** The output of a battery in another language: one JSON object a line, with its step. */
import type { Transcript } from '../../battery/transcript.js';

export function addLines(log: Transcript, output: string): void {
  for (const line of output.split('\n')) {
    if (line === '') continue;
    const { step, ...fields } = JSON.parse(line) as { step: string };
    log.add(step, fields);
  }
}
