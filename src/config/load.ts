/** Reads a configuration file, or makes the one-database configuration from flags. All problems come in one error. */
import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { TwiceshyError } from '../core/errors.js';
import type { Config } from './config.js';
import { configError, type Problem, problemsOf } from './problems.js';
import { type AdapterFor, resolveConfig } from './resolve.js';
import { configSchema } from './schema.js';
import { type Environment, parseYaml, type YamlSource } from './yaml-source.js';

export interface LoadOptions {
  readonly env: Environment;
  readonly adapterFor: AdapterFor;
}

/** Throws `CONFIG_INVALID`; the message has one line a problem, each beginning with the file's name. */
export function loadConfigFile(file: string, options: LoadOptions): Config {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    throw new TwiceshyError('CONFIG_INVALID', `Cannot read the configuration ${file}: ${code}`, { cause });
  }
  return loadConfigText(text, basename(file), dirname(resolve(file)), options);
}

/** The same for text in memory; `name` stands in messages, `folder` is where relative paths start. */
export function loadConfigText(text: string, name: string, folder: string, options: LoadOptions): Config {
  const source = parseYaml(text, name, options.env);
  return loadValue(source, name, folder, options);
}

/** The same for a plain value: what flags amount to; `aliases` are the flags' names by key. */
export function loadConfigValue(
  value: unknown,
  name: string,
  folder: string,
  options: LoadOptions,
  aliases: Readonly<Record<string, string>> = {},
): Config {
  return loadValue({ value, problems: [], lineOf: () => null }, name, folder, options, aliases);
}

function loadValue(
  source: YamlSource,
  name: string,
  folder: string,
  options: LoadOptions,
  aliases: Readonly<Record<string, string>> = {},
): Config {
  const problems: Problem[] = [...source.problems];
  const names = { lineOf: source.lineOf, aliases };
  const parsed = configSchema.safeParse(source.value ?? {});
  if (!parsed.success) {
    problems.push(...problemsOf(parsed.error.issues, source.value ?? {}));
    throw configError(name, problems, names);
  }
  const config = resolveConfig(parsed.data, folder, options.adapterFor, problems);
  if (problems.length > 0) throw configError(name, problems, names);
  return config;
}
