import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorCodesOf, type Flavour, readErrorCode } from '../../../../adapters/mysql/error-codes.js';
import { failureClasses, unrecordedClasses } from '../../../../src/core/failure/failure-class.js';

const page = readFileSync(new URL('../../../../docs/error-classes.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('\n## MySQL and MariaDB\n'), page.indexOf('\n## MongoDB\n'));

function columnsOf(name: string): string[] {
  const row = section.split('\n').find((line) => line.startsWith(`| ${name} |`));
  return (row ?? '|  |  |  |  |')
    .split('|')
    .slice(2, 5)
    .map((cell) => cell.trim());
}

function isShared(code: string): boolean {
  const [mysql, mariadb] = [readErrorCode(code, 'mysql'), readErrorCode(code, 'mariadb')];
  return mysql.name === mariadb.name && mysql.class === mariadb.class;
}

function listed(name: string, flavour: Flavour, isWanted: (code: string) => boolean): string {
  return errorCodesOf(flavour)
    .filter((code) => readErrorCode(code, flavour).class === name && isWanted(code))
    .map((code) => (readErrorCode(code, flavour).isStructural ? `**${code}**` : code))
    .join(' ');
}

describe('docs/error-classes.md, MySQL and MariaDB', () => {
  it.each([...failureClasses, ...unrecordedClasses])(
    'lists %s with its numbers, structural ones in bold',
    (name) => {
      expect(columnsOf(name)).toEqual([
        listed(name, 'mysql', isShared),
        listed(name, 'mysql', (code) => !isShared(code)),
        listed(name, 'mariadb', (code) => !isShared(code)),
      ]);
    },
  );
});
