/** Shapes of MongoDB, one a line: a text, and the shape of its one statement. */

export const filters: [text: string, shape: string][] = [
  ['db.users.find()', '{ find users }'],
  ['db.users.find({})', '{ find users }'],
  ['db.users.find({ b: "x", a: 1 })', '{ find users filter { a ?number b ?string } }'],
  ['db.users.find({ a: NumberLong("5") })', '{ find users filter { a ?number } }'],
  [
    'db.users.find({ a: null, b: true, c: new Date() })',
    '{ find users filter { a ?null b ?boolean c ?date } }',
  ],
  [
    'db.users.find({ a: "$5.00", b: "$name", c: "$$ROOT" })',
    '{ find users filter { a ?string b ?string c ?string } }',
  ],
  ['db.users.find({ a: { $gt: 1, $lte: 9 } })', '{ find users filter { a { $gt ?number $lte ?number } } }'],
  ['db.users.find({ a: { $lte: 9, $gt: 1 } })', '{ find users filter { a { $gt ?number $lte ?number } } }'],
  ['db.users.find({ a: { $in: [1, 2.5, 3] } })', '{ find users filter { a { $in [ ?number ] } } }'],
  ['db.users.find({ a: { $in: ["x", 1, "y"] } })', '{ find users filter { a { $in [ ?number ?string ] } } }'],
  ['db.users.find({ a: { $in: [] } })', '{ find users filter { a { $in [ ] } } }'],
  [
    'db.users.find({ $or: [{ b: 1 }, { a: 1 }, { b: 2 }] })',
    '{ find users filter { $or [ { a ?number } { b ?number } ] } }',
  ],
  ['db.users.find({ $and: { a: 1 } })', '{ find users filter { $and { a ?number } } }'],
  ['db.users.find({ a: /^ada/i })', '{ find users filter { a { $regex ?regex $options i } } }'],
  [
    'db.users.find({ a: { $options: "i", $regex: "^ada" } })',
    '{ find users filter { a { $regex ?regex $options i } } }',
  ],
  ['db.users.find({ a: { $regex: /^ada/ } })', '{ find users filter { a { $regex ?regex } } }'],
  ['db.users.find({ a: { $not: /ada/ } })', '{ find users filter { a { $not { $regex ?regex } } } }'],
  ['db.users.find({ a: { $type: "string" } })', '{ find users filter { a { $type string } } }'],
  ['db.users.find({ a: { $type: ["int", 2] } })', '{ find users filter { a { $type [ 2 int ] } } }'],
  ['db.users.find({ a: { $type: "strng" } })', '{ find users filter { a { $type ?string } } }'],
  ['db.users.find({ a: { $exists: false } })', '{ find users filter { a { $exists ?boolean } } }'],
  [
    'db.users.find({ a: { $elemMatch: { b: 1, c: { $gt: 2 } } } })',
    '{ find users filter { a { $elemMatch { b ?number c { $gt ?number } } } } }',
  ],
  [
    'db.users.find({ a: { $elemMatch: { $in: ["x"] } } })',
    '{ find users filter { a { $elemMatch { $in [ ?string ] } } } }',
  ],
  [
    'db.users.find({ address: { zip: 1, city: "x" } })',
    '{ find users filter { address { city ?string zip ?number } } }',
  ],
  ['db.users.find({ "address.city": "x" })', '{ find users filter { address.city ?string } }'],
  ['db.users.find({ $expr: { $gt: ["$a", "$b"] } })', '{ find users filter { $expr { $gt [ $a $b ] } } }'],
  ['db.users.find({ $where: "this.a > 1" })', '{ find users filter { $where ?code } }'],
  ['db.users.find({ $where: function () { return this.a } })', '{ find users filter { $where ?code } }'],
  ['db.users.find({ $where: () => true })', '{ find users filter { $where ?code } }'],
  ['db.users.find({ $text: { $search: "x" } })', '{ find users filter { $text { $search ?string } } }'],
  ['db.users.find({ a: { $gtt: 5 } })', '{ find users filter { a { $gtt ?number } } }'],
  ['db.users.find({ $comment: "by hand", a: 1 })', '{ find users filter { a ?number } }'],
  ['db.users.find({ $xor: [{ a: 1 }] })', '{ find users filter { $xor [ { a ?number } ] } }'],
];

export const keys: [text: string, shape: string][] = [
  ['db.c.find({ "scores.507f191e810c19729de860ea": 1 })', '{ find c filter { scores.? ?number } }'],
  ['db.c.find({ "days.20261130": 1 })', '{ find c filter { days.? ?number } }'],
  ['db.c.find({ "by.3f2504e0-4f89-11d3-9a0c-0305e82c3301.x": 1 })', '{ find c filter { by.?.x ?number } }'],
  ['db.c.find({ "ada@example.org": 1 })', '{ find c filter { ? ?number } }'],
  ['db.c.find({ "items.0.name": 1 })', '{ find c filter { items.0.name ?number } }'],
  ['db.c.find({ q4_2024: 1 })', '{ find c filter { q4_2024 ?number } }'],
  [
    'db.c.find({ "first name": 1, "a:b": 2 })',
    '{ find c filter { "a:b" ?number "first\\u0020name" ?number } }',
  ],
  ['db.c.find({ "": 1 })', '{ find c filter { "" ?number } }'],
  [
    'db.c.insertOne({ "507f191e810c19729de860ea": 1, "507f191e810c19729de860eb": 2 })',
    '{ insert c documents [ { ?:number } ] }',
  ],
  [
    'db.c.updateOne({}, { $inc: { "seen.1764460800": 1 } })',
    '{ update c updates [ { q { } u { $inc { seen.? ?number } } } ] }',
  ],
];

export const reads: [text: string, shape: string][] = [
  ['db.c.find({}, { name: 1, _id: 0 })', '{ find c projection { _id 0 name 1 } }'],
  ['db.c.find({}, { name: true, _id: false })', '{ find c projection { _id 0 name 1 } }'],
  [
    'db.c.find({}, { tags: { $slice: -5 }, s: { $meta: "textScore" } })',
    '{ find c projection { s { $meta textScore } tags { $slice ?number } } }',
  ],
  [
    'db.c.find({}, { full: { $concat: ["$a", " ", "$b"] }, x: "$y" })',
    '{ find c projection { full { $concat [ $a ?string $b ] } x $y } }',
  ],
  ['db.c.find().sort({ b: -1, a: 1 })', '{ find c sort { b -1 a 1 } }'],
  ['db.c.find().sort({ a: 1, b: -1 })', '{ find c sort { a 1 b -1 } }'],
  ['db.c.find().sort({ a: 2 })', '{ find c sort { a ?number } }'],
  ['db.c.find().sort({ s: { $meta: "textScore" } })', '{ find c sort { s { $meta textScore } } }'],
  ['db.c.find().limit(3).skip(4)', '{ find c skip ?number limit ?number }'],
  ['db.c.find().limit(0)', '{ find c }'],
  ['db.c.findOne({ a: 1 })', '{ find c filter { a ?number } limit ?number }'],
  [
    'db.c.find({ a: 1 }).hint("a_1").collation({ locale: "fr", strength: 2 })',
    '{ find c filter { a ?number } hint a_1 collation { locale fr strength 2 } }',
  ],
  ['db.c.find().hint({ $natural: 1 })', '{ find c hint { $natural 1 } }'],
  ['db.c.find({ a: 1 }).count()', '{ count c query { a ?number } }'],
  ['db.c.find({ a: 1 }).explain("executionStats")', '{ explain { find c filter { a ?number } } }'],
  ['db.c.explain().find({ a: 1 })', '{ explain { find c filter { a ?number } } }'],
  ['db.c.distinct("city", { a: 1 })', '{ distinct c key city query { a ?number } }'],
  [
    'db.c.countDocuments({ a: 1 })',
    '{ aggregate c pipeline [ { $match { a ?number } } { $group { _id ?number n { $sum ?number } } } ] }',
  ],
  ['db.c.find_one({"a": True, "b": None})', '{ find c filter { a ?boolean b ?null } limit ?number }'],
  [
    '{ find: "c", filter: {}, batchSize: 5, maxTimeMS: 9, comment: "x", readConcern: { level: "local" }, $db: "shop" }',
    '{ find c }',
  ],
  ['{ find: "c", tailable: true, awaitData: false }', '{ find c tailable true }'],
  ['{ find: "c", bogus: { a: 1 } }', '{ find c bogus ?document }'],
  ['{ getMore: NumberLong("5"), collection: "c", batchSize: 2 }', '{ getMore ?number collection c }'],
];

export const pipelines: [text: string, shape: string][] = [
  ['db.c.aggregate([])', '{ aggregate c pipeline [ ] }'],
  [
    'db.c.aggregate([{ $match: { a: 1 } }, { $sort: { a: 1 } }])',
    '{ aggregate c pipeline [ { $match { a ?number } } { $sort { a 1 } } ] }',
  ],
  [
    'db.c.aggregate([{ $sort: { a: 1 } }, { $match: { a: 1 } }])',
    '{ aggregate c pipeline [ { $sort { a 1 } } { $match { a ?number } } ] }',
  ],
  [
    'db.c.aggregate({ $limit: 5 }, { $skip: 2 })',
    '{ aggregate c pipeline [ { $limit ?number } { $skip ?number } ] }',
  ],
  [
    'db.c.aggregate([{ $group: { _id: "$city", n: { $sum: 1 }, t: { $avg: "$total" } } }])',
    '{ aggregate c pipeline [ { $group { _id $city n { $sum ?number } t { $avg $total } } } ] }',
  ],
  [
    'db.c.aggregate([{ $group: { _id: { c: "$city", y: { $year: "$at" } } } }])',
    '{ aggregate c pipeline [ { $group { _id { c $city y { $year $at } } } } ] }',
  ],
  [
    'db.c.aggregate([{ $project: { a: 1, b: "$c", d: { $literal: "$5.00" }, e: { f: 0 } } }])',
    '{ aggregate c pipeline [ { $project { a 1 b $c d { $literal ?string } e { f 0 } } } ] }',
  ],
  [
    'db.c.aggregate([{ $addFields: { a: 1, b: "x", c: "$5.00", d: "$$NOW" } }])',
    '{ aggregate c pipeline [ { $addFields { a ?number b ?string c ?string d $$NOW } } ] }',
  ],
  [
    'db.c.aggregate([{ $addFields: { a: { $substrCP: ["$a", 0, 3] } } }])',
    '{ aggregate c pipeline [ { $addFields { a { $substrCP [ $a ?number ?number ] } } } ] }',
  ],
  [
    'db.c.aggregate([{ $addFields: { a: { $in: ["$a", [1, 2, 3]] } } }])',
    '{ aggregate c pipeline [ { $addFields { a { $in [ $a [ ?number ] ] } } } ] }',
  ],
  [
    'db.c.aggregate([{ $addFields: { a: { $cond: { if: "$x", then: 1, else: 2 } } } }])',
    '{ aggregate c pipeline [ { $addFields { a { $cond { else ?number if $x then ?number } } } } ] }',
  ],
  [
    'db.c.aggregate([{ $addFields: { a: { $convert: { input: "$a", to: "int" } } } }])',
    '{ aggregate c pipeline [ { $addFields { a { $convert { to int input $a } } } } ] }',
  ],
  [
    'db.c.aggregate([{ $addFields: { a: { $map: { input: "$xs", as: "x", in: "$$x.y" } } } }])',
    '{ aggregate c pipeline [ { $addFields { a { $map { as x in $$x.y input $xs } } } } ] }',
  ],
  ['db.c.aggregate([{ $unwind: "$tags" }])', '{ aggregate c pipeline [ { $unwind $tags } ] }'],
  [
    'db.c.aggregate([{ $unwind: { path: "$tags", preserveNullAndEmptyArrays: true } }])',
    '{ aggregate c pipeline [ { $unwind { path $tags preserveNullAndEmptyArrays true } } ] }',
  ],
  [
    'db.c.aggregate([{ $lookup: { as: "os", from: "orders", foreignField: "user", localField: "_id" } }])',
    '{ aggregate c pipeline [ { $lookup { from orders localField _id foreignField user as os } } ] }',
  ],
  [
    'db.c.aggregate([{ $lookup: { from: "o", let: { i: "$_id" }, pipeline: [{ $match: { $expr: { $eq: ["$u", "$$i"] } } }], as: "os" } }])',
    '{ aggregate c pipeline [ { $lookup { from o as os let { i $_id } pipeline [ { $match { $expr { $eq [ $u $$i ] } } } ] } } ] }',
  ],
  [
    'db.c.aggregate([{ $facet: { a: [{ $count: "n" }], b: [{ $limit: 1 }] } }])',
    '{ aggregate c pipeline [ { $facet { a [ { $count n } ] b [ { $limit ?number } ] } } ] }',
  ],
  [
    'db.c.aggregate([{ $merge: { into: { db: "x", coll: "y" }, on: "_id", whenMatched: "fail" } }])',
    '{ aggregate c pipeline [ { $merge { into { db x coll y } on _id whenMatched fail } } ] }',
  ],
  ['db.c.aggregate([{ $unset: ["b", "a.c"] }])', '{ aggregate c pipeline [ { $unset [ a.c b ] } ] }'],
  [
    'db.c.aggregate([{ $bucket: { groupBy: "$a", boundaries: [0, 5, 10], default: "x" } }])',
    '{ aggregate c pipeline [ { $bucket { groupBy $a boundaries [ ?number ] default ?string } } ] }',
  ],
  [
    'db.c.aggregate([{ $projct: { a: 1, b: "$c" } }])',
    '{ aggregate c pipeline [ { $projct { a ?number b ?string } } ] }',
  ],
  [
    'db.c.aggregate([{ $match: { a: 1 }, $limit: 5 }])',
    '{ aggregate c pipeline [ { $match { a ?number } $limit ?number } ] }',
  ],
  [
    'db.c.aggregate([{ $setWindowFields: { sortBy: { a: 1 }, output: { s: { $sum: "$x", window: { documents: ["unbounded", "current"] } } } } }])',
    '{ aggregate c pipeline [ { $setWindowFields { sortBy { a 1 } output { s { window { documents [ unbounded current ] } $sum $x } } } } ] }',
  ],
  ['db.aggregate([{ $currentOp: {} }])', '{ aggregate 1 pipeline [ { $currentOp { } } ] }'],
];

export const writes: [text: string, shape: string][] = [
  [
    'db.c.insertOne({ name: "a", age: 5, at: new Date() })',
    '{ insert c documents [ { age:number at:date name:string } ] }',
  ],
  ['db.c.insertOne({ _id: ObjectId(), name: "a" })', '{ insert c documents [ { name:string } ] }'],
  ['db.c.insertOne({ _id: 7 })', '{ insert c documents [ { _id:number } ] }'],
  ['db.c.insertOne({})', '{ insert c documents [ { } ] }'],
  [
    'db.c.insertOne({ a: { b: { c: 1 }, d: "x" }, e: [], f: {} })',
    '{ insert c documents [ { a.b.c:number a.d:string e:array f:document } ] }',
  ],
  // Whether the others go on says nothing of the one that fails.
  ['db.c.insertMany([{ a: 1 }], { ordered: false })', '{ insert c documents [ { a:number } ] }'],
  ['db.c.insertMany([{ a: 1 }], { ordered: true })', '{ insert c documents [ { a:number } ] }'],
  [
    'db.c.bulkWrite([{ deleteOne: { filter: { a: 1 } } }], { ordered: false })',
    '{ delete c deletes [ { q { a ?number } limit 1 } ] }',
  ],
  [
    'db.c.updateOne({ a: 1 }, { $set: { b: "$x", c: { d: 1 } } })',
    '{ update c updates [ { q { a ?number } u { $set { b ?string c { d ?number } } } } ] }',
  ],
  [
    'db.c.updateMany({ a: 1 }, { $unset: { b: "" } }, { upsert: true })',
    '{ update c updates [ { q { a ?number } u { $unset { b ?string } } multi true upsert true } ] }',
  ],
  [
    'db.c.updateOne({}, { $push: { t: { $each: [1, 2], $sort: -1, $slice: 3 } } })',
    '{ update c updates [ { q { } u { $push { t { $sort -1 $each [ ?number ] $slice ?number } } } } ] }',
  ],
  ['db.c.updateOne({}, { $rename: { a: "b" } })', '{ update c updates [ { q { } u { $rename { a b } } } ] }'],
  [
    'db.c.updateOne({}, { $set: { "g.$[e].x": 1 } }, { arrayFilters: [{ "e.y": 1 }] })',
    '{ update c updates [ { q { } u { $set { "g.$[e].x" ?number } } arrayFilters [ { e.y ?number } ] } ] }',
  ],
  [
    'db.c.updateOne({}, [{ $set: { a: { $add: ["$a", 1] } } }])',
    '{ update c updates [ { q { } u [ { $set { a { $add [ $a ?number ] } } } ] } ] }',
  ],
  [
    'db.c.updateOne({}, { name: "x", $set: { a: 1 } })',
    '{ update c updates [ { q { } u { $set { a ?number } name ?string } } ] }',
  ],
  [
    'db.c.replaceOne({ _id: 1 }, { b: "x", a: 1 })',
    '{ update c updates [ { q { _id ?number } u { a:number b:string } } ] }',
  ],
  ['db.c.deleteOne({ a: 1 })', '{ delete c deletes [ { q { a ?number } limit 1 } ] }'],
  ['db.c.deleteMany({ a: 1 })', '{ delete c deletes [ { q { a ?number } limit 0 } ] }'],
  [
    'db.c.findOneAndUpdate({ a: 1 }, { $inc: { b: 1 } }, { returnDocument: "after", sort: { b: 1 } })',
    '{ findAndModify c query { a ?number } update { $inc { b ?number } } new true sort { b 1 } }',
  ],
  ['db.c.findOneAndDelete({ a: 1 })', '{ findAndModify c query { a ?number } remove true }'],
];

export const definitions: [text: string, shape: string][] = [
  [
    'db.c.createIndex({ b: 1, a: -1 }, { unique: true })',
    '{ createIndexes c indexes [ { key { b 1 a -1 } name b_1_a_-1 unique true } ] }',
  ],
  [
    'db.c.createIndex({ a: "text", b: "2dsphere" })',
    '{ createIndexes c indexes [ { key { a text b 2dsphere } name a_text_b_2dsphere } ] }',
  ],
  [
    'db.c.createIndex({ a: 1 }, { name: "mine", expireAfterSeconds: 60, partialFilterExpression: { a: { $gt: 5 } } })',
    '{ createIndexes c indexes [ { key { a 1 } name mine partialFilterExpression { a { $gt ?number } } expireAfterSeconds ?number } ] }',
  ],
  ['db.c.dropIndex("a_1")', '{ dropIndexes c index a_1 }'],
  ['db.createCollection("c", { capped: true, size: 5 })', '{ create c capped true size ?number }'],
  [
    'db.createCollection("c", { validator: { $jsonSchema: { bsonType: "object", required: ["b", "a"], properties: { a: { bsonType: "int", minimum: 5, description: "x" } } } } })',
    '{ create c validator { $jsonSchema { bsonType object required [ a b ] properties { a { bsonType int minimum ?number } } } } }',
  ],
  [
    'db.createView("v", "c", [{ $match: { a: 1 } }])',
    '{ create v viewOn c pipeline [ { $match { a ?number } } ] }',
  ],
  [
    '{ collMod: "c", validator: { a: { $type: "int" } }, validationLevel: "strict", validationAction: "error" }',
    '{ collMod c validator { a { $type int } } validationLevel strict validationAction error }',
  ],
  ['db.c.drop()', '{ drop c }'],
  ['db.dropDatabase()', '{ dropDatabase ?number }'],
  ['{ renameCollection: "shop.a", to: "shop.b" }', '{ renameCollection shop.a to shop.b }'],
  [
    '{ createUser: "ada", pwd: "secret", roles: ["read"] }',
    '{ createUser ?string pwd ?string roles ?array }',
  ],
  ['{ fnid: "users", query: { a: 1 } }', '{ fnid ?string query ?document }'],
  ['db.runCommand({ ping: 1 })', '{ ping ?number }'],
  ['db.adminCommand("ping")', '{ ping ?number }'],
];

/** The same statement, written in other ways. */
export const spellings: [name: string, ...texts: string[]][] = [
  [
    'a query',
    'db.users.find({ age: { $gt: 5 }, city: "Graz" }).sort({ name: 1 }).limit(5)',
    "db.users.find({'city':'Wien',age:{\"$gt\":6,},},).limit(7).sort({name:1}).toArray();",
    'db.getCollection("users").find({ age: { $gt: 1e3 }, city: `x` }).sort({ name: NumberInt(1) }).limit(1)',
    'db["users"].find( /* of age */ { age: { $gt: 5 }, // years\n city: "x" } )\n  .sort({ name: 1 })\n  .limit(5)\n  .pretty()',
    "const found = await db.collection('users').find({ age: { $gt: 5 }, city: 'x' }, { sort: { name: 1 }, limit: 5 }).toArray()",
    '{"find":"users","filter":{"city":"x","age":{"$gt":{"$numberLong":"5"}}},"limit":5,"sort":{"name":1},"lsid":{"id":1}}',
    'db.runCommand({ find: "users", filter: { city: "x", age: { $gt: 5 } }, sort: { name: 1.0 }, limit: 5 })',
    '{ find users filter { age { $gt ?number } city ?string } sort { name 1 } limit ?number }',
  ],
  [
    'an id',
    'db.users.find({ _id: ObjectId("507f191e810c19729de860ea") })',
    'db.users.find({ _id: new ObjectId() })',
    'db.users.find({"_id":{"$oid":"507f191e810c19729de860ea"}})',
  ],
  [
    'a date',
    'db.c.find({ at: { $lt: ISODate("2026-11-30") } })',
    'db.c.find({ at: { $lt: new Date(Date.now() - 60 * 1000) } })',
    'db.c.find({ at: { $lt: { $date: "2026-11-30T00:00:00Z" } } })',
    'db.c.find({"at": {"$lt": datetime.datetime(2026, 11, 30)}})',
  ],
  [
    'an upsert',
    'db.c.updateOne({ a: 1 }, { $set: { b: 1 } }, { upsert: true })',
    'db.c.update_one({"a": 1}, {"$set": {"b": 1}}, {"upsert": True})',
    '{ update: "c", updates: [{ q: { a: 1 }, u: { $set: { b: 1 } }, upsert: true, multi: false }], ordered: true }',
    '{ bulkWrite: 1, ops: [{ update: 0, filter: { a: 1 }, updateMods: { $set: { b: 1 } }, upsert: true, multi: false }], nsInfo: [{ ns: "shop.c" }] }',
    'db.c.bulkWrite([{ updateOne: { filter: { a: 1 }, update: { $set: { b: 1 } }, upsert: true } }])',
  ],
];
