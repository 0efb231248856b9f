/** Requests and replies as drivers and servers write them, for scripts. */
import { Binary, type Document, Long } from 'bson';
import { type MsgOptions, opMsg } from '../../support/mongodb-messages.js';
import type { Step } from './scripted-session.js';

/** Of the request with this id in database `shop`, unless the body names another. */
export function request(requestId: number, body: Document, options: MsgOptions = {}): Buffer {
  return opMsg({ ...body, $db: body['$db'] ?? 'shop' }, { requestId, ...options });
}

export function reply(responseTo: number, body: Document | Buffer, options: MsgOptions = {}): Buffer {
  return opMsg(body, { requestId: 9_000 + responseTo, responseTo, ...options });
}

export function rows(...documents: Document[]): Document {
  return { cursor: { firstBatch: documents, id: Long.ZERO, ns: 'shop.users' }, ok: 1 };
}

export function failure(code: number, codeName: string, errmsg: string, more: Document = {}): Document {
  return { ok: 0, errmsg, code, codeName, ...more };
}

export const badValue = failure(2, 'BadValue', 'unknown operator: $foo');

/** An element of `writeErrors` that tells of a duplicate key. */
export function duplicate(index: number, more: Document = {}): Document {
  const errmsg = 'E11000 duplicate key error collection: shop.users index: _id_ dup key: { _id: 1 }';
  return { index, code: 11000, keyPattern: { _id: 1 }, keyValue: { _id: 1 }, errmsg, ...more };
}

export const waitedInVain: Document = {
  code: 64,
  codeName: 'WriteConcernFailed',
  errmsg: 'waiting for replication timed out',
  errInfo: { wtimeout: true },
};

/** A command and its answer. */
export function exchange(id: number, body: Document, answer: Document, options: MsgOptions = {}): Step[] {
  return [
    ['c', request(id, body, options)],
    ['s', reply(id, answer)],
  ];
}

export const sessionId = '00112233445566778899aabbccddeeff';
const lsid = { id: new Binary(Buffer.from(sessionId, 'hex'), Binary.SUBTYPE_UUID) };

/** What a driver adds to a write that it may send again. */
export function retryable(txnNumber: number): Document {
  return { lsid, txnNumber: Long.fromNumber(txnNumber) };
}

/** What a driver adds to a command of a transaction. */
export function inTransaction(txnNumber: number, more: Document = {}): Document {
  return { ...retryable(txnNumber), autocommit: false, ...more };
}

/** The documents of an insert, as the sequence that drivers send. */
export function documents(...all: Document[]): MsgOptions {
  return { sequences: [{ identifier: 'documents', documents: all }] };
}
