import fc from 'fast-check';
import '../../../support/property-seed.js';
import { describe, expect, it } from 'vitest';
import { CatalogGuard } from '../../../../adapters/mysql/catalog-guard.js';
import { packet, status } from '../../../support/mysql-protocol.js';
import {
  columnDefinition,
  eof,
  error,
  ok,
  resultSet,
  textRow,
} from '../../../support/mysql-server-packets.js';

/** A guard past the login, and what it handed on; packets are numbered from 1, as after a command. */
function guardOf() {
  const handed: Buffer[] = [];
  const guard = new CatalogGuard({
    packet: (bytes) => handed.push(Buffer.from(bytes)),
    get sequenceId() {
      return (handed.length + 1) & 0xff;
    },
  });
  guard.expectNothing();
  return { guard, handed };
}

function numbered(payloads: readonly Buffer[]): Buffer {
  return Buffer.concat(payloads.map((payload, index) => packet(payload, (index + 1) & 0xff)));
}

const value = fc.option(
  fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.constant('x'.repeat(300))),
  { nil: null },
);
const answer = fc
  .integer({ min: 1, max: 5 })
  .chain((columns) =>
    fc
      .array(fc.array(value, { minLength: columns, maxLength: columns }), { maxLength: 20 })
      .map((rows) => ({ columns, rows })),
  )
  .map(({ columns, rows }) =>
    resultSet(
      Array.from({ length: columns }, (_, index) => `c${index}`),
      rows,
      { isEofDeprecated: false },
    ),
  );

describe('CatalogGuard', () => {
  it('hands on an answer packet by packet, however it was cut', () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat(5_000), { maxLength: 12 }), (payloads, cuts) => {
        const { guard, handed } = guardOf();
        guard.expectAnswer();
        const bytes = numbered(payloads);
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        for (const [index, start] of edges.slice(0, -1).entries()) {
          guard.push(bytes.subarray(start, edges[index + 1]));
        }
        expect(Buffer.concat(handed)).toEqual(bytes);
        expect(handed).toHaveLength(payloads.length);
        expect(() => guard.push(packet(ok(), (payloads.length + 1) & 0xff))).toThrow('cannot be read');
      }),
    );
  });

  it('comes to an end with any bytes, and stays there', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 400 }), fc.nat(4), (noise, place) => {
        const { guard, handed } = guardOf();
        guard.expectAnswer();
        const good = [resultSet(['a', 'b'], [['1', '2']], { isEofDeprecated: false })].flat();
        try {
          guard.push(numbered(good.slice(0, place)));
          guard.push(Buffer.from(noise));
        } catch (refusal) {
          const count = handed.length;
          expect(() => guard.push(numbered(good))).toThrow(refusal as Error);
          expect(handed).toHaveLength(count);
        }
      }),
    );
  });

  it('lets columns by with and without what MariaDB says of extended types', () => {
    const plain = columnDefinition({ name: 'a' });
    const namesBytes = plain.length - 13;
    const extended = Buffer.concat([
      plain.subarray(0, namesBytes),
      Buffer.from([7, 1, 5, ...Buffer.from('jsonb')].slice(0, 8)),
      plain.subarray(namesBytes),
    ]);
    for (const column of [plain, extended]) {
      const { guard, handed } = guardOf();
      guard.expectAnswer();
      guard.push(numbered([Buffer.from([1]), column, eof(), textRow(['x']), eof()]));
      expect(handed).toHaveLength(5);
    }
  });

  it('cuts what an OK says of the session, and nothing else of it', () => {
    const { guard, handed } = guardOf();
    guard.expectAnswer();
    const rest = Buffer.from('what the session track says');
    guard.push(packet(ok({ affectedRows: 300, status: status.sessionStateChanged, rest }), 1));
    expect(handed).toEqual([packet(ok({ affectedRows: 300, status: status.sessionStateChanged }), 1)]);
  });

  it.each([
    ['instead of an answer', []],
    ['among the columns', [Buffer.from([2]), columnDefinition({ name: 'a' })]],
    ['among the rows', [Buffer.from([1]), columnDefinition({ name: 'a' }), eof(), textRow(['x'])]],
  ])('ends the answer with an error %s', (_, before) => {
    const { guard, handed } = guardOf();
    guard.expectAnswer();
    guard.push(numbered([...before, error(1317, 'Query execution was interrupted')]));
    expect(handed).toHaveLength(before.length + 1);
    expect(() => guard.push(packet(ok(), before.length + 2))).toThrow('cannot be read');
  });

  it('lets nothing by that was not asked for but the reason for which the server leaves', () => {
    const { guard, handed } = guardOf();
    guard.push(packet(error(1053, 'Server shutdown in progress'), 1));
    expect(handed).toHaveLength(1);
    expect(() => guard.push(packet(ok(), 2))).toThrow('cannot be read');
  });
});
