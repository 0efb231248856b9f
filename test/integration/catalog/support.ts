/** What the catalog tests share: an address from a URL, and one model of what a reader finds. */
import type { CatalogReader, UpstreamAddress, UpstreamTls } from '../../../src/core/adapter.js';
import type { SchemaModel } from '../../../src/core/schema/model.js';
import { buildSchema } from '../../../src/core/schema/schema.js';

export const plain: UpstreamTls = { mode: 'disable' };

export function addressOf(text: string): UpstreamAddress {
  const url = new URL(text);
  return {
    host: url.hostname,
    port: Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
  };
}

export async function readModel(reader: CatalogReader): Promise<SchemaModel> {
  return buildSchema(await reader.read(), 1);
}

/** Both sums of a statement on these tables, as one text. */
export function sumsOf(model: SchemaModel, ...tables: string[]): string {
  const names = tables.map((table) => {
    const [first = '', second] = table.split('.');
    return second === undefined ? { schema: null, name: first } : { schema: first, name: second };
  });
  const { tablesFingerprint, constraintsFingerprint } = model.resolve(names, null, 'app');
  return `${tablesFingerprint} ${constraintsFingerprint}`;
}
