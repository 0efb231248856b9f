/**
 * What constructors of the shell and of drivers make, and what Extended JSON writes as a document
 * (https://github.com/mongodb/specifications/blob/master/source/extended-json/extended-json.md).
 */
import { bsonType } from '../bson/types.js';
import { anyNode, holeNode, member, numberNode, regexNode, type TreeEntry, type TreeNode } from './tree.js';

const callTypes = new Map<string, number>();
const calls: readonly (readonly [type: number, names: string])[] = [
  [
    bsonType.objectId,
    'ObjectId ObjectID bson.ObjectId BSON.ObjectId mongoose.Types.ObjectId Types.ObjectId ObjectId.createFromHexString',
  ],
  [
    bsonType.date,
    'ISODate Date datetime datetime.datetime datetime.now datetime.utcnow datetime.datetime.now datetime.datetime.utcnow ' +
      'datetime.fromisoformat datetime.strptime',
  ],
  [bsonType.string, 'String str'],
  [bsonType.boolean, 'Boolean bool'],
  [bsonType.timestamp, 'Timestamp bson.Timestamp'],
  [
    bsonType.binary,
    'BinData Binary UUID HexData MD5 uuid.uuid4 uuid4 Buffer.from Binary.createFromBase64 bson.Binary',
  ],
  [bsonType.code, 'Code bson.Code'],
  [bsonType.symbol, 'BSONSymbol Symbol'],
  [bsonType.document, 'DBRef'],
  // decimals are not looked into, as they are not in BSON
  [bsonType.decimal128, 'NumberDecimal Decimal128 Decimal128.fromString bson.Decimal128 Decimal'],
  [bsonType.minKey, 'MinKey'],
  [bsonType.maxKey, 'MaxKey'],
];
for (const [type, names] of calls) for (const name of names.split(' ')) callTypes.set(name, type);

const numberCalls = new Set(
  (
    'NumberInt NumberLong NumberDouble Int32 Double Long Int64 Number parseInt parseFloat int float ' +
    'Date.now Long.fromNumber Long.fromString Math.floor Math.random bson.Int64'
  ).split(' '),
);
const regexCalls = new Set(['RegExp', 'BSONRegExp', 're.compile']);

/** The value of a call; its arguments decide nothing but numbers and options. */
export function typedByCall(name: string, given: readonly TreeNode[]): TreeNode {
  if (numberCalls.has(name)) return numberNode(numberIn(given[0]));
  if (regexCalls.has(name)) return regexNode(given[1]?.text ?? '');
  const type = callTypes.get(name);
  return type === undefined ? anyNode : holeNode(type);
}

function numberIn(node: TreeNode | undefined): number {
  if (node === undefined) return Number.NaN;
  return node.text === null ? node.number : Number(node.text);
}

/** Keys of Extended JSON that say the type by themselves. */
const keyTypes: ReadonlyMap<string, number> = new Map([
  ['$oid', bsonType.objectId],
  ['$symbol', bsonType.symbol],
  ['$code', bsonType.code],
  ['$numberDecimal', bsonType.decimal128],
  ['$uuid', bsonType.binary],
  ['$binary', bsonType.binary],
  ['$date', bsonType.date],
  ['$timestamp', bsonType.timestamp],
  ['$dbPointer', bsonType.dbPointer],
  ['$minKey', bsonType.minKey],
  ['$maxKey', bsonType.maxKey],
  ['$undefined', bsonType.undefined],
]);
const numberKeys = new Set(['$numberInt', '$numberLong', '$numberDouble']);
/** A second key that some of them have. */
const secondKeys: ReadonlyMap<string, string> = new Map([
  ['$code', '$scope'],
  ['$binary', '$type'],
]);

/** A value written as a document of Extended JSON, or null. */
export function typedByKeys(entries: readonly TreeEntry[]): TreeNode | null {
  const [first, second] = entries;
  if (first === undefined || !first.key.startsWith('$') || entries.length > 2) return null;
  const { key, node } = first;
  if (second !== undefined && secondKeys.get(key) !== second.key) return null;
  if (numberKeys.has(key)) return numberNode(numberIn(node));
  if (key === '$regularExpression') return regexNode(member(node, 'options')?.text ?? '');
  const type = keyTypes.get(key);
  return type === undefined ? null : holeNode(type);
}
