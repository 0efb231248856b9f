/**
 * The process's log: structured lines on stderr, stdout being for what a caller waits for (`ready`).
 * Invariant: no value of a statement, an error or a row, and no secret, is ever handed to it; the redaction below is
 * the second line of defence, not the first.
 */
import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

export interface LogOptions {
  readonly level: string;
  /** `auto`: text on a terminal, JSON elsewhere. */
  readonly format: 'json' | 'text' | 'auto';
}

export interface LogTarget {
  readonly isTTY?: boolean | undefined;
  write(line: string): unknown;
}

const secretKeys = ['url', 'password', 'secret', 'upstreamPassword', 'key', 'connectionString'];

/** Loggers derived from one of ours: a level of their own each, which `setLogLevel` moves along. */
const children = new WeakMap<Logger, Set<Logger>>();

/** Changes the level of a log and of those derived from it before. */
export function setLogLevel(log: Logger, level: string): void {
  log.level = level;
  for (const child of children.get(log) ?? []) child.level = level;
}

/** Writes to `target` (default: stderr). Derive loggers for what lasts (a listener), not for each session. */
export function createLog(options: LogOptions, target: LogTarget = process.stderr): Logger {
  const isText = options.format === 'text' || (options.format === 'auto' && target.isTTY === true);
  const stream = { write: (line: string) => void target.write(isText ? textLine(line) : line) };
  const derived = new Set<Logger>();
  const log = pino(
    {
      level: options.level,
      onChild: (child: Logger) => void derived.add(child),
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
        censor: '[redacted]',
      },
    },
    stream,
  );
  children.set(log, derived);
  return log;
}

/** `12:00:00.000 warn  message key=value` for people; control characters cannot get through JSON's escapes. */
function textLine(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const details = Object.entries(rest).map(([key, value]) => `${key}=${plain(value)}`);
  return `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${[String(msg ?? ''), ...details].join(' ')}\n`;
}

function plain(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/@-]+$/.test(value) ? value : JSON.stringify(value);
}
