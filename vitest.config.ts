import { defineConfig } from 'vitest/config';

/** Two projects, so that tests without a server never wait for one: `npx vitest run --project unit`. */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    setupFiles: ['test/support/property-seed.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{unit,protocol,contract}/**/*.test.ts', 'eval/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: ['test/{integration,e2e,regressions}/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          // A machine shared with others may stall a real server: .ci/run names each test that needed its second try.
          retry: process.env['CI'] === 'true' ? 1 : 0,
        },
      },
    ],
  },
});
