// The battery as a script of mongosh, which has set `casesFile`. Prints JSON lines: what a command returned, or every
// field of its error and the words that the shell itself would show.
const fs = require('node:fs');

const repetitions = 3;

function say(step, fields) {
  print(EJSON.stringify({ step, ...fields }, { relaxed: true }));
}

function describe(error) {
  return {
    name: error.name,
    shown: String(error),
    code: error.code ?? null,
    codeName: error.codeName ?? null,
    labels: error.errorLabels ?? null,
    response: error.errorResponse ?? null,
    result: error.result ?? null,
    writeErrors: error.writeErrors ?? null,
  };
}

function step(name, work) {
  try {
    say(name, { value: work() });
  } catch (error) {
    say(name, { error: describe(error) });
  }
}

for (const { kind, command } of JSON.parse(fs.readFileSync(casesFile, 'utf8'))) {
  const parsed = EJSON.parse(JSON.stringify(command), { relaxed: true });
  for (let time = 1; time <= repetitions; time += 1) step(`${kind} #${time}`, () => db.runCommand(parsed));
}

step('insert one', () => db.users.insertOne({ _id: 100, email: '100@example.org' }));
step('insert many', () =>
  db.users.insertMany([
    { _id: 101, email: '101@e' },
    { _id: 102, email: '102@e' },
  ]),
);
step('find', () =>
  db.users
    .find({ _id: { $gte: 100 } })
    .sort({ _id: 1 })
    .toArray(),
);
step('find one', () => db.users.findOne({ email: 'ada@example.org' }));
step('count', () => db.users.countDocuments({ city: 'London' }));
step('distinct', () => db.users.distinct('city'));
step('update one', () => db.users.updateOne({ _id: 100 }, { $set: { age: 1 } }));
step('find and modify', () =>
  db.users.findAndModify({ query: { _id: 100 }, update: { $set: { age: 2 } }, new: true }),
);
step('delete many', () => db.users.deleteMany({ _id: { $gte: 100 } }));
step('collections', () => db.getCollectionNames().sort());
step('indexes', () =>
  db.users
    .getIndexes()
    .map(({ name }) => name)
    .sort(),
);
step('group', () =>
  db.users.aggregate([{ $group: { _id: '$city', n: { $sum: 1 } } }, { $sort: { _id: 1 } }]).toArray(),
);
step('whole collection', () => db.many.find().sort({ _id: 1 }).toArray().length);
step('cursor in batches', () => db.many.find().sort({ _id: 1 }).batchSize(50).toArray().length);
step('hello', () => db.hello());
step('version', () => db.version());

const bulk = [
  { insertOne: { document: { _id: 200, email: '200@example.org' } } },
  { insertOne: { document: { _id: 1, bulk: true } } },
  { updateOne: { filter: { _id: 2 }, update: { $set: { _id: 3 } } } },
  { deleteOne: { filter: { _id: 200 } } },
];

for (let time = 1; time <= repetitions; time += 1) {
  step(`duplicate by insert one ${time}`, () => db.users.insertOne({ _id: 1, by: 'insert one' }));
  step(`duplicate by insert many ${time}`, () =>
    db.users.insertMany([{ _id: 120 }, { _id: 1, by: 'insert many' }]),
  );
  step(`duplicate by update ${time}`, () =>
    db.users.updateOne({ _id: 1 }, { $set: { email: 'eve@example.org' } }),
  );
  step(`unknown operator by find ${time}`, () => db.users.find({ city: { $like: 'L%' } }).toArray());
  step(`unknown stage by aggregate ${time}`, () => db.users.aggregate([{ $explode: {} }]).toArray());
  step(`cursor that fails ${time}`, () =>
    db.many
      .aggregate([{ $sort: { _id: 1 } }, { $project: { a: { $divide: [1, { $subtract: ['$_id', 300] }] } } }])
      .toArray(),
  );
  for (const ordered of [true, false])
    step(`bulk write ordered ${ordered} ${time}`, () => db.users.bulkWrite(bulk, { ordered }));
  step(`after failures ${time}`, () => db.users.deleteMany({ _id: { $gte: 100 } }));
}
