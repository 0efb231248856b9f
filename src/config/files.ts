/**
 * Files that a configuration names, read once at load, so that nothing is left to fail when the first client comes.
 * Paths are relative to the folder of the file that names them.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { KeyPath, Problem } from './problems.js';

const maxFileBytes = 1024 * 1024;

export interface FileReader {
  /** The text of a file, or null after noting the problem. */
  read(path: KeyPath, file: string): string | null;
  /** PEM text, or the file that holds it. */
  readPem(path: KeyPath, fileOrPem: string): string | null;
  /** A secret given in place or by file (one trailing line break is not part of it); null where neither is given. */
  readSecret(path: KeyPath, key: string, given: string | undefined, file: string | undefined): string | null;
  absolute(file: string): string;
}

export function createFileReader(folder: string, problems: Problem[]): FileReader {
  const absolute = (file: string) => resolve(folder, file);
  const read = (path: KeyPath, file: string): string | null => {
    try {
      const text = readFileSync(absolute(file), 'utf8');
      if (text.length <= maxFileBytes) return text;
      problems.push({ path, message: `the file is larger than ${maxFileBytes} bytes: ${absolute(file)}` });
    } catch (cause) {
      problems.push({ path, message: `cannot read ${absolute(file)}: ${reason(cause)}` });
    }
    return null;
  };
  return {
    absolute,
    read,
    readPem(path, fileOrPem) {
      const text = fileOrPem.trimStart().startsWith('-----BEGIN ') ? fileOrPem : read(path, fileOrPem);
      if (text === null || text.includes('-----BEGIN ')) return text;
      problems.push({ path, message: `expected PEM text (-----BEGIN …) in ${absolute(fileOrPem)}` });
      return null;
    },
    readSecret(path, key, given, file) {
      if (given !== undefined && file !== undefined) {
        problems.push({
          path: [...path, `${key}File`],
          message: `give either ${key} or ${key}File, not both`,
        });
      }
      if (given !== undefined) return given;
      if (file === undefined) return null;
      const text = read([...path, `${key}File`], file)?.replace(/\r?\n$/, '') ?? null;
      if (text === '') problems.push({ path: [...path, `${key}File`], message: 'the file is empty' });
      return text;
    },
  };
}

function reason(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return { ENOENT: 'no such file', EACCES: 'permission denied', EISDIR: 'it is a folder' }[code] ?? code;
}
