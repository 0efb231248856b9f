import { describe, expect, it } from 'vitest';
import { blindSpotOf } from '../../../../adapters/mysql/catalog-rights.js';

const usage = 'GRANT USAGE ON *.* TO `reader`@`%`';

describe('blindSpotOf', () => {
  it.each<[string, string[]]>([
    ['all privileges', ['GRANT ALL PRIVILEGES ON *.* TO `app`@`%` WITH GRANT OPTION']],
    ["MySQL's list of all", ['GRANT SELECT, INSERT, TRIGGER ON *.* TO `app`@`%` WITH GRANT OPTION']],
    ['the two that are needed', [usage, 'GRANT SELECT, TRIGGER ON *.* TO `reader`@`%`']],
    [
      'the two, one of them by a role',
      [
        'GRANT SELECT ON *.* TO `reader`@`%`',
        'GRANT TRIGGER ON *.* TO `seer`',
        'GRANT `seer` TO `reader`@`%`',
      ],
    ],
    [
      'a partial revoke of something else',
      ['GRANT SELECT, INSERT, TRIGGER ON *.* TO `a`@`%`', 'REVOKE INSERT ON `mysql`.* FROM `a`@`%`'],
    ],
  ])('is null with %s', (_, grants) => {
    expect(blindSpotOf('app@%', grants)).toBeNull();
  });

  it.each<[string, string[], RegExp]>([
    ['nothing', [usage], /^reader@% lacks SELECT and TRIGGER on .* GRANT SELECT, TRIGGER ON \*\.\* TO/],
    ['SELECT alone', ['GRANT SELECT ON *.* TO `reader`@`%`'], /lacks TRIGGER on .* GRANT TRIGGER ON/],
    [
      'databases alone',
      [usage, 'GRANT ALL PRIVILEGES ON `shop`.* TO `reader`@`%`'],
      /lacks SELECT and TRIGGER/,
    ],
    [
      'a database whose name tries',
      [usage, 'GRANT SELECT ON `x ON *.* TO `.* TO `reader`@`%`'],
      /lacks SELECT/,
    ],
    [
      'privileges of similar names',
      ['GRANT SHOW VIEW, SELECT_X ON *.* TO `r`@`%`'],
      /lacks SELECT and TRIGGER/,
    ],
    [
      'a database taken out (partial revoke)',
      ['GRANT SELECT, TRIGGER ON *.* TO `r`@`%`', 'REVOKE SELECT ON `shop`.* FROM `r`@`%`'],
      /lacks SELECT on/,
    ],
    ['a role that is not active', [usage, 'GRANT `seer`@`%` TO `reader`@`%`'], /lacks SELECT and TRIGGER/],
  ])('says what is missing with %s', (_, grants, expected) => {
    expect(blindSpotOf('reader@%', grants)).toMatch(expected);
  });
});
