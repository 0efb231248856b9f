/** A mix of statements as applications, ORMs and agents send them, for the shape benchmark. */
export const statements: readonly string[] = [
  'SELECT 1',
  'BEGIN',
  'COMMIT',
  'SELECT id, email, name FROM users WHERE id = $1',
  "SELECT * FROM orders WHERE customer_id = 4711 AND status = 'open' ORDER BY created_at DESC LIMIT 50",
  "INSERT INTO users (email, name, created_at) VALUES ('a@example.com', 'Ann', now()) RETURNING id",
  'INSERT INTO "public"."order_items" ("order_id", "product_id", "quantity", "unit_price") VALUES ($1, $2, $3, $4), ($5, $6, $7, $8), ($9, $10, $11, $12) RETURNING "id"',
  'UPDATE "accounts" SET "balance" = "balance" - $1, "updatedAt" = $2 WHERE ("accounts"."id" = $3 AND 1=1)',
  'DELETE FROM sessions WHERE expires_at < now() AND user_id IN (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)',
  'SELECT "User"."id", "User"."email", "profile"."id" AS "profile.id", "profile"."bio" AS "profile.bio" FROM "Users" AS "User" LEFT OUTER JOIN "Profiles" AS "profile" ON "User"."id" = "profile"."userId" WHERE "User"."email" = \'bob@example.com\' LIMIT 1;',
  `SELECT t0.id, t0.total, c.name, count(i.id) AS items
     FROM orders t0
     JOIN customers c ON c.id = t0.customer_id
     LEFT JOIN order_items i ON i.order_id = t0.id
    WHERE t0.created_at >= '2026-01-01' AND t0.created_at < '2026-02-01'
      AND (c.country = 'DE' OR c.country = 'AT') AND t0.total > 100.50
    GROUP BY 1, 2, 3
   HAVING count(i.id) > 3
    ORDER BY t0.total DESC, 1
    LIMIT 20 OFFSET 40`,
  `WITH recent AS (SELECT user_id, max(created_at) AS last_seen FROM events WHERE kind = 'login' GROUP BY user_id),
        big AS (SELECT customer_id, sum(total) AS total FROM orders GROUP BY customer_id HAVING sum(total) > 1000)
   SELECT u.id, u.email, r.last_seen, b.total FROM users u
     JOIN recent r ON r.user_id = u.id LEFT JOIN big b ON b.customer_id = u.id
    WHERE u.deleted_at IS NULL AND u.is_active IS TRUE`,
  `CREATE TABLE invoices (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     customer_id bigint NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
     number varchar(32) NOT NULL UNIQUE,
     amount numeric(12,2) NOT NULL DEFAULT 0 CHECK (amount >= 0),
     issued_at timestamptz NOT NULL DEFAULT now()
   )`,
  "ALTER TABLE invoices ADD COLUMN note text DEFAULT ''",
  'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS invoices_number_idx ON invoices (lower(number)) WHERE number IS NOT NULL',
  `INSERT INTO stock (sku, warehouse, quantity) VALUES ('A-1', 'berlin', 10), ('A-2', 'berlin', 5), ('B-7', 'wien', 0)
   ON CONFLICT (sku, warehouse) DO UPDATE SET quantity = stock.quantity + EXCLUDED.quantity`,
  `SELECT data->>'name', data #>> '{address,city}', tags @> ARRAY['new','sale'] FROM products
    WHERE data ? 'price' AND (data->>'price')::numeric BETWEEN 10 AND 99.9 AND id = ANY ($1::bigint[])`,
  `/* checkout */ SELECT pg_advisory_xact_lock(42); SELECT balance FROM accounts WHERE id = 7 FOR UPDATE; -- lock order: id
   UPDATE accounts SET balance = balance - 20 WHERE id = 7`,
  `DO $body$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'app') THEN CREATE ROLE app LOGIN PASSWORD 'x'; END IF; END $body$`,
  "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid WHERE c.relkind IN ('r','p') AND a.attnum > 0 AND NOT a.attisdropped",
];

/** A bulk insert a little over `size` characters. */
export function bulkInsert(size: number): string {
  const rows: string[] = [];
  let length = 0;
  for (let i = 0; length < size; i++) {
    const row = `(${i}, 'customer ${i}', '${i}@example.com', ${i % 7 === 0 ? 'NULL' : i * 1.5}, true)`;
    rows.push(row);
    length += row.length + 2;
  }
  return `INSERT INTO customers (id, name, email, score, is_active) VALUES ${rows.join(', ')}`;
}

/** A generated query a little over `size` characters: names, operators and numbers, no long literal to skip. */
export function longQuery(size: number): string {
  const terms: string[] = [];
  let length = 0;
  for (let i = 0; length < size; i++) {
    const term = `(t${i % 9}.column_${i % 40} >= ${i} AND t${i % 9}."columnName" <> $${i + 1})`;
    terms.push(term);
    length += term.length + 4;
  }
  return `SELECT * FROM some_table t0 WHERE ${terms.join(' OR ')}`;
}
