/** What every database of the battery holds at first. Small: each client gets two of them. */
import type { Db } from 'mongodb';

/** More than three batches of the default size. */
const manyCount = 350;

export async function seed(database: Db): Promise<void> {
  await database.collection<{ _id: number }>('users').insertMany(
    [
      { name: 'Ada', email: 'ada@example.org', age: 36, city: 'London', tags: ['a', 'b'] },
      { name: 'Ben', email: 'ben@example.org', age: 41, city: 'Paris', tags: [] },
      { name: 'Cleo', email: 'cleo@example.org', age: null, city: null, address: { street: 'Nile' } },
      { name: 'Dan', email: 'dan@example.org', age: 'old', city: 'London' },
      { name: 'Eve', email: 'eve@example.org', age: 5.5, city: 'Rome', tags: ['c'] },
    ].map((user, index) => ({ _id: index + 1, ...user })),
  );
  await database.collection('users').createIndex({ email: 1 }, { unique: true, name: 'users_email' });
  await database.collection('users').createIndex({ city: 1 }, { name: 'users_city' });
  await database
    .collection<{ _id: number }>('many')
    .insertMany(Array.from({ length: manyCount }, (_, index) => ({ _id: index, word: `word ${index}` })));
  await database.createCollection('orders');
  // By collMod: FerretDB takes no validator when it creates a collection.
  await database.command({
    collMod: 'orders',
    validator: { $jsonSchema: { bsonType: 'object', required: ['total'] } },
    validationLevel: 'strict',
    validationAction: 'error',
  });
}
