/**
 * Edits the reply to `hello` or `isMaster` so that drivers stay on the listener (Server Discovery And Monitoring, "Updating
 * the TopologyDescription"). They go to every address in `hosts`, `passives` and `arbiters`; on a primary's word they leave
 * an address that is in none of the three, and on any member's word one that is not its `me`. So the first of the three
 * that names anyone names the listener alone, the others nobody, and `me` and `primary` are the listener, whatever the
 * member is: a passive one, an arbiter or a hidden one is told by fields of its own, which stay. Nothing is added: a server
 * that names no hosts is no member of a set, and drivers keep it.
 */
import { BsonCursor } from './bson/cursor.js';
import { stringArrayValue, stringValue } from './bson/elements.js';
import { bsonType } from './bson/types.js';
import { ReplyEdit } from './reply-edit.js';

export interface TopologyTerms {
  /** `host:port` that stands for the server; null: addresses stay as they are. */
  readonly address: string | null;
  /** The reply is to offer no compression, as that of a server which has none. */
  readonly isCompressionCleared: boolean;
}

const hostLists = ['hosts', 'passives', 'arbiters'] as const;
const emptyArrayBytes = 5;
const noHosts = stringArrayValue([]);

/**
 * `bytes[start, end)`: a whole OP_MSG or OP_REPLY, header included, not compressed. Null where nothing is to be changed,
 * or it cannot be (malformed, wrong checksum, no room).
 */
export function editTopology(bytes: Buffer, start: number, end: number, terms: TopologyTerms): Buffer | null {
  const edit = ReplyEdit.open(bytes, start, end);
  if (edit === null) return null;
  const body = new BsonCursor();
  const { address, isCompressionCleared } = terms;
  const naming = address === null ? null : firstNaming(body, edit);
  body.open(bytes, edit.bodyStart, edit.bodyEnd);
  while (body.next()) {
    if (isCompressionCleared && body.type === bsonType.array && body.isKey('compression'))
      edit.replace(body.keyStart - 1, body.valueEnd, Buffer.alloc(0), []);
    else if (address !== null) pointAt(address, body, edit, naming);
  }
  if (body.isMalformed || !edit.isChanged || !edit.hasRoomFor(0)) return null;
  return edit.finish();
}

/** The key of the first list that names a host. */
function firstNaming(body: BsonCursor, edit: ReplyEdit): string | null {
  for (const key of hostLists) {
    body.open(edit.bytes, edit.bodyStart, edit.bodyEnd);
    while (body.next()) {
      if (isHostList(body) && body.isKey(key)) return key;
    }
  }
  return null;
}

function isHostList(element: BsonCursor): boolean {
  return element.type === bsonType.array && element.valueEnd - element.valueStart > emptyArrayBytes;
}

function pointAt(address: string, element: BsonCursor, edit: ReplyEdit, naming: string | null): void {
  let value: Buffer;
  if (element.type === bsonType.string && (element.isKey('me') || element.isKey('primary')))
    value = stringValue(address);
  else if (isHostList(element) && hostLists.some((key) => element.isKey(key)))
    value = naming !== null && element.isKey(naming) ? stringArrayValue([address]) : noHosts;
  else return;
  const { bytes, valueStart, valueEnd } = element;
  if (value.compare(bytes, valueStart, valueEnd) !== 0) edit.replace(valueStart, valueEnd, value, []);
}
