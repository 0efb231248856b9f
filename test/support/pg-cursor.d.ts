/** The part of pg-cursor the tests use; the package has no types of its own. */
declare module 'pg-cursor' {
  import type { Submittable } from 'pg';

  // biome-ignore lint/style/noDefaultExport: this is what the package exports.
  export default class Cursor implements Submittable {
    constructor(text: string, values?: unknown[]);
    submit(connection: unknown): void;
    read(maxRows: number): Promise<unknown[]>;
    close(): Promise<void>;
  }
}
