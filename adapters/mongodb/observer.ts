/**
 * Watches one session's bytes from the first request on: splits them into messages, reduces them to session state and
 * turns what the server says into verdicts, with their notes in the reply; keeps drivers on the listener by editing what
 * `hello` tells of the topology.
 *
 * Invariant: whatever goes wrong in here, every byte is passed on; the session turns blind instead.
 */
import type {
  BlindReason,
  ByteOutput,
  CancellableObserver,
  LegPolicy,
  ObserverOptions,
  SessionIdentity,
} from '../../src/core/adapter.js';
import { commandKind, isHousekeeping, isSecret } from './command-kind.js';
import { opCode, requestIdOf, responseToOf } from './framing.js';
import { type LoginDemand, loginDemandOf } from './login-demand.js';
import type { OwedRequest } from './owed-requests.js';
import type { ReplyReading } from './reply-reader.js';
import { type PassedReply, ReplySplitter } from './reply-splitter.js';
import { RequestSplitter } from './request-splitter.js';
import { SessionState } from './session.js';
import { RequestSentBefore } from './session-identity.js';
import { editTopology, type TopologyTerms } from './topology-edit.js';
import { Verdicts } from './verdicts.js';

export class MongoObserver implements CancellableObserver {
  readonly #options: ObserverOptions;
  readonly #topology: TopologyTerms;
  readonly #loginDemand: LoginDemand;
  readonly #state: SessionState;
  readonly #verdicts: Verdicts;
  readonly #client: RequestSplitter;
  readonly #server: ReplySplitter;
  #isReady = false;
  #blindReason: BlindReason | null = null;

  constructor(
    options: ObserverOptions,
    policy: Pick<LegPolicy, 'advertisedAddress' | 'compression'>,
    identity: Pick<SessionIdentity, 'negotiated'>,
  ) {
    this.#options = options;
    this.#topology = {
      address: policy.advertisedAddress ?? options.listenerAddress,
      isCompressionCleared: policy.compression === 'clear',
    };
    this.#loginDemand = loginDemandOf(policy);
    this.#state = new SessionState(options.session);
    this.#verdicts = new Verdicts(options, this.#state.scopes);
    this.#client = new RequestSplitter({
      request: (bytes, start, end, length) => this.#onRequest(bytes, start, end, length),
      malformed: () => this.#turnBlind('malformed_client_frame'),
    });
    this.#server = new ReplySplitter({
      wantsWhole: (responseTo, code) => this.#wantsWhole(responseTo, code),
      reply: (bytes, start, end) => this.#onReply(bytes, start, end),
      passed: (reply) => this.#onPassedReply(reply),
      malformed: () => this.#turnBlind('malformed_server_frame'),
    });
    if (identity.negotiated instanceof RequestSentBefore) this.toServer(identity.negotiated.bytes);
  }

  get blindReason(): BlindReason | null {
    return this.#blindReason;
  }

  toServer(chunk: Buffer): void {
    if (this.#blindReason !== null) return;
    try {
      this.#state.beginRead();
      this.#client.scan(chunk);
    } catch {
      this.#turnBlind('observer_error');
    }
  }

  toClient(chunk: Buffer, out: ByteOutput): void {
    this.#server.scan(chunk, out);
  }

  end(out: ByteOutput): void {
    this.#server.flush(out);
    this.#state.clear();
  }

  /** There is no cancel request in this protocol: killOp is a command, and its victim's error says so. */
  cancelRelayed(): void {}

  #turnBlind(reason: BlindReason): void {
    if (this.#blindReason !== null) return;
    this.#blindReason = reason;
    this.#client.stop();
    this.#server.stop();
    this.#state.clear();
    this.#options.onBlind(reason);
  }

  // ---- the client

  #onRequest(bytes: Buffer, start: number, end: number, length: number): void {
    switch (this.#state.requested(bytes, start, end, length)) {
      case 'over limit':
        this.#turnBlind('expected_replies_over_limit');
        break;
      case 'malformed':
        this.#turnBlind('malformed_client_frame');
        break;
      case 'not followed':
        this.#turnBlind('not_followed');
        break;
      case 'unknown':
        this.#options.handler.bypassed('unknown_message');
        break;
      case 'read':
    }
  }

  // ---- the server

  /** Failures of a bulkWrite lie in its cursor; of a compressed reply it cannot be known what lies where. */
  #wantsWhole(responseTo: number, code: number): boolean {
    const request = this.#state.requestOf(responseTo);
    if (request === null) return false;
    return code === opCode.compressed || request.kind === commandKind.bulkWrite || isSecret(request.kind);
  }

  #onReply(bytes: Buffer, start: number, end: number): Buffer | null {
    try {
      return this.#reduceReply(bytes, start, end);
    } catch {
      this.#turnBlind('observer_error');
      return null;
    }
  }

  #reduceReply(bytes: Buffer, start: number, end: number): Buffer | null {
    const state = this.#state;
    const request = this.#requestOf(responseToOf(bytes, start));
    if (request === null) return null;
    const reading = state.reply.read(request, bytes, start, end);
    const message = reading === 'read' ? this.#onRead(request) : this.#onUnread(request, reading);
    if (this.#blindReason === null) state.replied(request, requestIdOf(bytes, start));
    return message;
  }

  #requestOf(responseTo: number): OwedRequest | null {
    const request = this.#state.requestOf(responseTo);
    if (request === null) this.#options.handler.bypassed('reply_without_request');
    return request;
  }

  #onUnread(request: OwedRequest, reading: Exclude<ReplyReading, 'read'>): null {
    switch (reading) {
      case 'malformed':
        this.#turnBlind('malformed_server_frame');
        break;
      case 'not followed':
        this.#turnBlind('not_followed');
        break;
      case 'unknown':
        this.#options.handler.bypassed('unknown_message');
        break;
      case 'too long':
        this.#verdicts.passed(request, null);
    }
    return null;
  }

  #onRead(request: OwedRequest): Buffer | null {
    const { reply } = this.#state;
    if (this.#isStranger && reply.body.isFailed && !isSecret(request.kind)) {
      this.#options.handler.bypassed('not_logged_in');
      return null;
    }
    const { message, isLetIn } = this.#verdicts.replied(request, reply);
    if (!isLetIn) this.#loginDemand.isSeen ||= !this.#isReady;
    if (isSecret(request.kind)) {
      const user = this.#state.userLetIn(request);
      if (user !== null) this.#onUserLetIn(user);
    } else if (isLetIn && !isHousekeeping(request.kind)) this.#onReady();
    if (request.kind !== commandKind.hello || reply.body.isFailed) return message;
    return editTopology(reply.bytes, reply.start, reply.end, this.#topology);
  }

  /** Not let in yet, by a server that lets nobody in without a login. */
  get #isStranger(): boolean {
    return !this.#isReady && this.#loginDemand.isSeen;
  }

  #onUserLetIn(user: string): void {
    this.#loginDemand.isSeen = true;
    if (user !== '') this.#options.session.user = user;
    this.#onReady();
  }

  #onReady(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#options.onReady();
  }

  #onPassedReply(reply: PassedReply): void {
    try {
      this.#reducePassedReply(reply);
    } catch {
      this.#turnBlind('observer_error');
    }
  }

  #reducePassedReply(passed: PassedReply): void {
    const { reply } = this.#state;
    const request = this.#requestOf(passed.responseTo);
    if (request === null) return;
    const reading = reply.readPassed(request, passed);
    if (reading !== 'read') this.#onUnread(request, reading);
    else {
      this.#verdicts.passed(request, reply.body);
      if (!isHousekeeping(request.kind)) this.#onReady();
    }
    if (this.#blindReason === null) this.#state.replied(request, passed.requestId);
  }
}
