/** Command-line clients of the MySQL family, run to their end. */
import { execFile } from 'node:child_process';

export interface Login {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database?: string;
}

export interface Ran {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** `command` is a program and the arguments that always come first. */
export function runClient(
  command: readonly string[],
  { host, port, user, password, database = '' }: Login,
  args: readonly string[],
  input = '',
): Promise<Ran> {
  const [file = '', ...first] = command;
  const login = [`--host=${host}`, `--port=${port}`, `--user=${user}`, `--password=${password}`];
  const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', HOME: '/nonexistent' };
  const options = { env, timeout: 60_000, maxBuffer: 256 * 1024 * 1024 };
  const all = [...first, ...login, ...args, ...(database === '' ? [] : [database])];
  return new Promise((resolve) => {
    const child = execFile(file, all, options, (error, stdout, stderr) => {
      const said = stderr.replace(/^.*Using a password on the command line.*\n/, '');
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), stdout, stderr: said });
    });
    // A program that is not let in does not read what it was to run.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** What the program says of its failure; empty where it succeeds. */
export async function failureOf(
  command: readonly string[],
  login: Login,
  args: readonly string[],
): Promise<string> {
  return (await runClient(command, login, args)).stderr;
}
