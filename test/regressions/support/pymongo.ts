/** PyMongo, run as a program of its own; its last line is the JSON that a test looks at. */
import { describe, it } from 'vitest';
import { pythonEnvironment } from '../../servers/python-environment.js';
import { runCommand } from '../../servers/run-command.js';

const timeoutMs = 120_000;
const found = await pythonEnvironment();

/** What every program begins with: its URL, and the driver. */
const beginning = `
import json, sys, time
import pymongo
from pymongo import errors
url = sys.argv[1]
def say(value): print(json.dumps(value, default=str))
`;

/** Runs `program` with `url`; resolves to what it said last. */
export async function runPymongo(program: string, url: string): Promise<unknown> {
  if ('missing' in found) throw new Error(found.missing);
  const env = { PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' };
  const output = await runCommand(found.python, ['-c', beginning + program, url], { env, timeoutMs });
  return JSON.parse(output.trim().split('\n').at(-1) ?? 'null');
}

/** Declares `body`, or a skipped group that names what is missing. */
export function describePymongo(title: string, body: () => void): void {
  if ('python' in found) describe(`${title} (PyMongo)`, body);
  else if (process.env['CI'] !== undefined) throw new Error(`CI needs PyMongo: ${found.missing}`);
  else {
    describe.skip(`${title} (skipped: ${found.missing})`, () => {
      it('needs PyMongo', () => {});
    });
  }
}
