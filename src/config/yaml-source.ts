/**
 * A YAML file as a plain value, with `${NAME}` replaced from the environment and the line of every key remembered.
 * Replacement happens after parsing, so that a secret with a colon or a quote in it cannot change the structure.
 */
import { isAlias, isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { TwiceshyError } from '../core/errors.js';
import type { KeyPath, Problem } from './problems.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface YamlSource {
  readonly value: unknown;
  /** Variables that are named and not set. */
  readonly problems: readonly Problem[];
  /** 1-based line of the key, or of the nearest parent that stands in the file; null for the document itself. */
  lineOf(path: KeyPath): number | null;
}

/** Throws `CONFIG_INVALID` with file, line and column where the text is not YAML. */
export function parseYaml(text: string, name: string, env: Environment): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    const sentences = faults.map((fault) => {
      const { line, col } = lines.linePos(fault.pos[0]);
      return `${name}:${line}:${col}: not valid YAML: ${withoutSource(fault.message)}`;
    });
    throw new TwiceshyError('CONFIG_INVALID', sentences.join('\n'));
  }
  const problems: Problem[] = [];
  const value = interpolate(toPlain(document, name), [], env, problems);
  return { value, problems, lineOf: (path) => lineOfPath(document.contents, path, lines) };
}

function toPlain(document: ReturnType<typeof parseDocument>, name: string): unknown {
  try {
    return document.toJS() as unknown;
  } catch (cause) {
    throw new TwiceshyError('CONFIG_INVALID', `${name}: not valid YAML: its aliases cannot be resolved`, {
      cause,
    });
  }
}

/** The parser quotes the text it stumbled over, which may be a password. */
function withoutSource(message: string): string {
  return message.replace(/[:\s]*["'].*$/s, '').replace(/\s+/g, ' ');
}

function interpolate(value: unknown, path: KeyPath, env: Environment, problems: Problem[]): unknown {
  if (typeof value === 'string') return interpolateText(value, path, env, problems);
  if (Array.isArray(value)) return value.map((item, i) => interpolate(item, [...path, i], env, problems));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, interpolate(item, [...path, key], env, problems)]),
  );
}

function interpolateText(text: string, path: KeyPath, env: Environment, problems: Problem[]): string {
  return text.replace(/\$\$\{|\$\{([^}]*)\}/g, (whole: string, name?: string) => {
    if (whole === '$${') return '${';
    if (name === undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      problems.push({ path, message: 'expected the name of an environment variable between the braces' });
      return whole;
    }
    const found = env[name];
    if (found === undefined || found === '') {
      problems.push({ path, message: `the environment variable ${name} is not set` });
      return whole;
    }
    return found;
  });
}

function lineOfPath(contents: unknown, path: KeyPath, lines: LineCounter): number | null {
  let node: unknown = contents;
  let line: number | null = null;
  for (const step of path) {
    if (isAlias(node)) return line;
    const child = isMap(node)
      ? node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(step))
      : undefined;
    const next = child === undefined ? itemAt(node, step) : (child.value ?? null);
    const at = child === undefined ? next : child.key;
    const offset = (at as Node | null | undefined)?.range?.[0];
    if (offset === undefined) return line;
    line = lines.linePos(offset).line;
    node = next;
  }
  return line;
}

function itemAt(node: unknown, step: PropertyKey): unknown {
  if (typeof node !== 'object' || node === null || !('items' in node) || !Array.isArray(node.items))
    return null;
  return typeof step === 'number' ? (node.items as unknown[])[step] : null;
}
