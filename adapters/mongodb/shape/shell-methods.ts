/**
 * The commands that drivers and the shell send for a call, as far as a shape has them
 * (https://www.mongodb.com/docs/mongodb-shell/reference/methods/).
 */
import { bsonType } from '../bson/types.js';
import { isNumeric } from './level.js';
import {
  arrayNode,
  booleanNode,
  documentFrom,
  documentNode,
  isTrue,
  items,
  member,
  numberNode,
  type TreeEntry,
  type TreeNode,
  textNode,
} from './tree.js';

export interface ShellCall {
  /** In camel case, as the shell has it. */
  readonly name: string;
  readonly given: readonly TreeNode[];
}

type Method = (collection: TreeNode, given: readonly TreeNode[], chain: readonly ShellCall[]) => TreeNode[];

const one = numberNode(1);
const nothing = documentNode([]);

/** The command of a call on a database; none where it sends none that is known. */
export function databaseCommand({ name, given }: ShellCall): TreeNode[] {
  const [first, options] = given;
  switch (name) {
    case 'runCommand':
    case 'adminCommand':
    case 'command': {
      if (first?.type === bsonType.document) return [first];
      return first?.text == null ? [] : [documentFrom({ [first.text]: options ?? one })];
    }
    case 'aggregate':
      return [documentFrom({ aggregate: one, pipeline: first })];
    case 'createCollection':
      return [withOptions({ create: first }, options)];
    case 'createView':
      return [withOptions({ create: first, viewOn: options, pipeline: given[2] }, given[3])];
    case 'dropDatabase':
      return [documentFrom({ dropDatabase: one })];
    case 'getCollectionNames':
    case 'getCollectionInfos':
    case 'listCollections':
      return [documentFrom({ listCollections: one, filter: first })];
    default:
      return [documentFrom({ [name]: one })];
  }
}

/** The commands of a call on a collection, with what is called on its cursor. */
export function collectionCommands(
  collection: TreeNode,
  call: ShellCall,
  chain: readonly ShellCall[],
): TreeNode[] {
  if (call.name === 'explain') {
    const [explained, ...rest] = chain;
    return explained === undefined ? [] : collectionCommands(collection, explained, rest).map(explain);
  }
  const method = Object.hasOwn(methods, call.name) ? methods[call.name] : undefined;
  const commands = method?.(collection, call.given, chain) ?? [documentFrom({ [call.name]: collection })];
  return chain.some(({ name }) => name === 'explain') ? commands.map(explain) : commands;
}

const explain = (command: TreeNode): TreeNode => documentFrom({ explain: command });

/** `options` after the arguments, without what is said twice. */
function withOptions(fields: Readonly<Record<string, TreeNode | undefined>>, options?: TreeNode): TreeNode {
  const given = documentFrom(fields).entries ?? [];
  const more = (options?.entries ?? []).filter(
    ({ key }) => options?.type === bsonType.document && !Object.hasOwn(fields, key),
  );
  return documentNode([...given, ...more]);
}

const find: Method = (collection, [filter, second, third], chain) => {
  const isOptions = holdsFindOptions(second);
  const fields: Record<string, TreeNode | undefined> = { find: collection, filter };
  if (!isOptions) fields['projection'] = second;
  const options = isOptions ? second : third;
  for (const { key, node } of options?.entries ?? []) fields[key] = node;
  let isCount = false;
  for (const { name, given } of chain) {
    const [first] = given;
    if (name === 'sort') fields['sort'] = sortOf(given);
    else if (name === 'project') fields['projection'] = first;
    else if (name === 'count') isCount = true;
    else if (cursorMethods.has(name)) fields[name] = first;
  }
  if (isTrue(fields['limit']) === false && fields['limit']?.number === 0) fields['limit'] = undefined;
  if (!isCount) return [documentFrom(fields)];
  const { skip, limit, hint } = fields;
  return [documentFrom({ count: collection, query: filter, skip, limit, hint })];
};

const cursorMethods = new Set([
  'limit',
  'skip',
  'hint',
  'collation',
  'min',
  'max',
  'projection',
  'returnKey',
  'tailable',
]);
const findOptions = new Set([
  ...cursorMethods,
  'sort',
  'session',
  'batchSize',
  'maxTimeMS',
  'comment',
  'let',
]);

/** Drivers take options where the shell takes a projection: 0 and 1 are of a projection, and so is what is not an option. */
function holdsFindOptions(node: TreeNode | undefined): boolean {
  const entries = node?.entries ?? [];
  return (
    node?.type === bsonType.document &&
    entries.length > 0 &&
    entries.every(({ key, node: value }) => {
      const isShown = (isNumeric(value.type) && value.number <= 1) || value.type === bsonType.boolean;
      return findOptions.has(key) && (!isShown || key === 'limit' || key === 'skip');
    })
  );
}

/** `{ a: 1 }`, `"a", -1`, `[["a", 1]]`. */
function sortOf([first, second]: readonly TreeNode[]): TreeNode | undefined {
  if (first?.text != null) return documentFrom({ [first.text]: second ?? one });
  const pairs = items(first);
  if (pairs.length === 0) return first;
  return documentNode(
    pairs.map((pair): TreeEntry => ({ key: items(pair)[0]?.text ?? '', node: items(pair)[1] ?? one })),
  );
}

const findOne: Method = (collection, given, chain) =>
  find(collection, given, [...chain, { name: 'limit', given: [one] }]);

const insert: Method = (collection, [given, options]) => [
  withOptions(
    {
      insert: collection,
      documents: given?.type === bsonType.array ? given : arrayNode(given === undefined ? [] : [given]),
    },
    options,
  ),
];

const perOperation = ['upsert', 'arrayFilters', 'collation', 'hint', 'multi', 'sort'] as const;

function updateCommand(
  collection: TreeNode,
  [q, u, options]: readonly (TreeNode | undefined)[],
  isMany: boolean,
): TreeNode {
  const own: Record<string, TreeNode | undefined> = { q: q ?? nothing, u };
  for (const key of perOperation) own[key] = member(options, key);
  if (isMany) own['multi'] = booleanNode(true);
  return documentFrom({
    update: collection,
    updates: arrayNode([documentFrom(own)]),
    ordered: member(options, 'ordered'),
    let: member(options, 'let'),
  });
}

function deleteCommand(
  collection: TreeNode,
  [q, options]: readonly (TreeNode | undefined)[],
  limit: number,
): TreeNode {
  const own = {
    q: q ?? nothing,
    limit: numberNode(limit),
    collation: member(options, 'collation'),
    hint: member(options, 'hint'),
  };
  return documentFrom({
    delete: collection,
    deletes: arrayNode([documentFrom(own)]),
    let: member(options, 'let'),
  });
}

function findAndModify(
  collection: TreeNode,
  query: TreeNode | undefined,
  change: Readonly<Record<string, TreeNode | undefined>>,
  options: TreeNode | undefined,
): TreeNode {
  const isNew =
    member(options, 'returnDocument')?.text === 'after' || isTrue(member(options, 'returnNewDocument'));
  return documentFrom({
    findAndModify: collection,
    query,
    ...change,
    ...(isNew && { new: booleanNode(true) }),
    fields: member(options, 'projection'),
    sort: member(options, 'sort'),
    upsert: member(options, 'upsert'),
    arrayFilters: member(options, 'arrayFilters'),
    collation: member(options, 'collation'),
    hint: member(options, 'hint'),
    let: member(options, 'let'),
  });
}

/** `email_1_name_-1`, as drivers name an index. */
function indexNamed(keys: TreeNode | undefined, options: TreeNode | undefined): TreeNode {
  const parts = (keys?.entries ?? []).map(({ key, node }) => `${key}_${node.text ?? node.number}`);
  return withOptions({ key: keys, name: member(options, 'name') ?? textNode(parts.join('_')) }, options);
}

const counted = documentFrom({ _id: one, n: documentFrom({ $sum: one }) });

const bulk: Method = (collection, [operations, options]) => {
  const ordered = member(options, 'ordered');
  return items(operations)
    .flatMap((operation) => bulkOperation(collection, operation))
    .map((command) => documentNode([...(command.entries ?? []), ...entryOf('ordered', ordered)]));
};

const entryOf = (key: string, node: TreeNode | undefined): TreeEntry[] =>
  node === undefined ? [] : [{ key, node }];

function bulkOperation(collection: TreeNode, operation: TreeNode): TreeNode[] {
  const kind = operation.entries?.[0];
  if (kind === undefined) return [];
  const { node } = kind;
  const filter = member(node, 'filter') ?? member(node, 'q');
  const change = member(node, 'update') ?? member(node, 'replacement');
  switch (kind.key) {
    case 'insertOne':
      return [documentFrom({ insert: collection, documents: arrayNode([member(node, 'document') ?? node]) })];
    case 'updateOne':
    case 'updateMany':
    case 'replaceOne':
      return [updateCommand(collection, [filter, change, node], kind.key === 'updateMany')];
    case 'deleteOne':
    case 'deleteMany':
      return [deleteCommand(collection, [filter, node], kind.key === 'deleteOne' ? 1 : 0)];
    default:
      return [];
  }
}

const methods: Readonly<Record<string, Method>> = {
  find,
  findOne,
  insert,
  insertOne: insert,
  insertMany: insert,
  save: insert,
  updateOne: (collection, given) => [updateCommand(collection, given, false)],
  updateMany: (collection, given) => [updateCommand(collection, given, true)],
  replaceOne: (collection, given) => [updateCommand(collection, given, false)],
  update: (collection, given) => [updateCommand(collection, given, isTrue(member(given[2], 'multi')))],
  deleteOne: (collection, given) => [deleteCommand(collection, given, 1)],
  deleteMany: (collection, given) => [deleteCommand(collection, given, 0)],
  remove: (collection, [q, how]) => [
    deleteCommand(collection, [q, how], isTrue(how) || isTrue(member(how, 'justOne')) ? 1 : 0),
  ],
  bulkWrite: bulk,
  findOneAndUpdate: (collection, [query, update, options]) => [
    findAndModify(collection, query, { update }, options),
  ],
  findOneAndReplace: (collection, [query, update, options]) => [
    findAndModify(collection, query, { update }, options),
  ],
  findOneAndDelete: (collection, [query, options]) => [
    findAndModify(collection, query, { remove: booleanNode(true) }, options),
  ],
  findAndModify: (collection, [options]) => [withOptions({ findAndModify: collection }, options)],
  aggregate: (collection, given) => {
    const [first, options] = given;
    if (first?.type === bsonType.document)
      return [documentFrom({ aggregate: collection, pipeline: arrayNode(given) })];
    return [withOptions({ aggregate: collection, pipeline: first }, options)];
  },
  countDocuments: (collection, [filter, options]) => {
    const stages = [documentFrom({ $match: filter ?? nothing })];
    for (const key of ['skip', 'limit']) {
      const node = member(options, key);
      if (node !== undefined) stages.push(documentFrom({ [`$${key}`]: node }));
    }
    return [
      documentFrom({
        aggregate: collection,
        pipeline: arrayNode([...stages, documentFrom({ $group: counted })]),
        hint: member(options, 'hint'),
        collation: member(options, 'collation'),
      }),
    ];
  },
  count: (collection, [query, options]) => [withOptions({ count: collection, query }, options)],
  estimatedDocumentCount: (collection) => [documentFrom({ count: collection })],
  distinct: (collection, [key, query, options]) => [
    withOptions({ distinct: collection, key, query }, options),
  ],
  createIndex: (collection, [keys, options]) => [
    documentFrom({ createIndexes: collection, indexes: arrayNode([indexNamed(keys, options)]) }),
  ],
  createIndexes: (collection, [list, options]) => [
    documentFrom({
      createIndexes: collection,
      indexes: arrayNode(
        items(list).map((index) =>
          member(index, 'key')?.type === bsonType.document
            ? indexNamed(member(index, 'key'), index)
            : indexNamed(index, options),
        ),
      ),
    }),
  ],
  dropIndex: (collection, [index]) => [documentFrom({ dropIndexes: collection, index })],
  dropIndexes: (collection, [index]) => [
    documentFrom({ dropIndexes: collection, index: index ?? textNode('*') }),
  ],
  indexes: (collection) => [documentFrom({ listIndexes: collection })],
  getIndexes: (collection) => [documentFrom({ listIndexes: collection })],
  listIndexes: (collection) => [documentFrom({ listIndexes: collection })],
  drop: (collection) => [documentFrom({ drop: collection })],
  renameCollection: (collection, [to]) => [documentFrom({ renameCollection: collection, to })],
  stats: (collection) => [documentFrom({ collStats: collection })],
  validate: (collection) => [documentFrom({ validate: collection })],
  mapReduce: (collection, [map, reduce, options]) => [
    withOptions({ mapReduce: collection, map, reduce }, options),
  ],
};
