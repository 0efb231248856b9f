/** How much of a canonical text may still be written, and what was found on the way. One for each command. */
import { limits } from '../../../src/core/limits.js';
import type { TableName } from '../../../src/core/schema/model.js';

export class Findings {
  room: number;
  readonly tables: TableName[] = [];

  constructor(room: number) {
    this.room = room;
  }

  get isFull(): boolean {
    return this.room <= 0;
  }

  /** Counts a token and the space behind it. */
  take(token: string): string {
    this.room -= token.length + 1;
    return token;
  }

  addTable(schema: string | null, name: string): void {
    if (name === '' || this.tables.length >= limits.maxTablesPerStatement) return;
    if (this.tables.some((known) => known.name === name && known.schema === schema)) return;
    this.tables.push({ schema, name });
  }
}
