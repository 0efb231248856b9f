/** What the tests of MongoDB's shapes share: a shaper, commands as bytes, and generators of commands with known values. */
import { Binary, BSON, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { commandText } from '../../../../adapters/mongodb/command-text.js';
import { createMongoShaper } from '../../../../adapters/mongodb/shape.js';
import type { StatementShape } from '../../../../src/core/shape/shape.js';
import { defaultLexicalOptions } from '../../../../src/core/verdict.js';

const shaper = createMongoShaper();

export const statementsOf = (text: string, isTruncated = false): readonly StatementShape[] =>
  shaper.shape(text, defaultLexicalOptions, isTruncated).statements;

export const shapesOf = (text: string, isTruncated = false): string[] =>
  statementsOf(text, isTruncated).map((one) => one.shape);

export const serialize = (document: object): Buffer => Buffer.from(BSON.serialize(document as BSON.Document));

export const wholeCommand = (body: Buffer, operation: number | null = null) => ({
  body,
  start: 0,
  end: body.length,
  sequences: [],
  operation,
  isTruncated: false,
});

export const textOf = (command: object, operation: number | null = null): string =>
  commandText(wholeCommand(serialize(command), operation)).text;

/** Part of every generated value; no shape may hold it. */
export const canary = 'zqx7k';

const words = fc.constantFrom(
  '',
  ' ',
  '$',
  '$$',
  '"',
  "'",
  '}',
  '{ $set',
  '?',
  '\\',
  '\n',
  'é',
  '5.00',
  '\u2028',
);
/** With a space, so that it is no name where one may stand. */
const text = fc.tuple(words, words).map(([before, after]) => `${before}${canary} ${after}`);

/** A value of any type that a client may send, none of them structure anywhere. */
const scalar: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  fc.constantFrom(907_182_631, 90.718, -90_718.5),
  fc.constant(Long.fromString('9071826317263')),
  fc.constant(Decimal128.fromString('907182.63')),
  fc.boolean(),
  fc.constant(null),
  fc.constant(new Date(90_718_263)),
  fc.constant(new ObjectId('90718263a90718263a907182')),
  fc.constantFrom(new BSON.BSONRegExp(canary, 'i'), new BSON.BSONRegExp(canary)),
  fc.constant(new Binary(Buffer.from(canary))),
  fc.constant(new BSON.Code(`return '${canary}'`)),
  fc.constant(new BSON.BSONSymbol(canary)),
  fc.constant(new Timestamp({ t: 907_182, i: 63 })),
  fc.constantFrom(new MinKey(), new MaxKey()),
);

const plainKeys = [
  'a',
  'b',
  'name',
  'email',
  'a.b',
  'tags.0.x',
  '_id',
  'first name',
  'naïve',
  'type',
  'x:y',
  '',
  'k"q',
  'in{',
];
const operators = (
  '$and $or $nor $not $gt $eq $in $all $elemMatch $regex $options $type $exists $expr $where $text $jsonSchema $set $inc ' +
  '$push $each $pull $rename $unset $currentDate $group $match $project $sort $limit $lookup $unwind $facet $merge $out ' +
  '$unionWith $graphLookup $addFields $count $sum $concat $cond $literal $map $filter $meta $slice $bogus $setWindowFields'
).split(' ');
const options = (
  'q u from as localField foreignField pipeline let into on whenMatched path limit multi upsert unique key name key ' +
  'required properties bsonType locale strength'
).split(' ');
/** Ids, dates and addresses in the place of a name. */
const madeUpKeys = [
  '507f191e810c19729de860ea',
  '90718263',
  `${canary}@example.org`,
  'k.90718263-1',
  '2026-11-30',
];
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...plainKeys) },
  { weight: 4, arbitrary: fc.constantFrom(...operators) },
  { weight: 2, arbitrary: fc.constantFrom(...options) },
  fc.constantFrom(...madeUpKeys),
);

const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    scalar,
    tie('document'),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
  document: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries)),
}));

const argumentNames =
  'filter query pipeline documents updates deletes sort projection fields update key hint collation let validator indexes ' +
  'ordered limit skip index arrayFilters upsert comment lsid $db max foo ops nsInfo to viewOn explain remove';
const commandNames =
  'find aggregate insert update delete findAndModify count distinct createIndexes create collMod drop dropIndexes ' +
  'renameCollection getMore mapReduce bulkWrite listIndexes explain unheardOf ping';

/** A command of a known or unknown name whose arguments hold anything. */
export const anyCommand: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(
    fc.constantFrom(...commandNames.split(' ')),
    fc.oneof(fc.constantFrom<unknown>('users', 'shop.users', 1), anyValue),
    fc.array(fc.tuple(fc.constantFrom(...argumentNames.split(' ')), anyValue), { maxLength: 5 }),
  )
  .map(([name, first, rest]) => ({ [name]: first, ...Object.fromEntries(rest) }));
