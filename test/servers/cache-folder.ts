/**
 * Where provisioned servers, their data and the Python environment live between runs: outside the repository, one
 * folder per user of the machine. Deleting it is always safe while nothing runs; the next run makes it again.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** The cache folder, created when missing; readable by other users, because servers do not run as root. */
export function cacheFolder(): string {
  const folder =
    process.env['TWICESHY_TEST_CACHE'] ?? join(tmpdir(), `twiceshy-test-servers-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  return folder;
}
