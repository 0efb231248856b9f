/**
 * A login, or COM_CHANGE_USER, up to its OK, relayed packet by packet (MySQL "Connection Phase": "Authentication Method
 * Switch", "Protocol::AuthMoreData", "Protocol::AuthNextFactorRequest"; MariaDB "Connecting").
 *
 * Where both legs have TLS or neither has, every byte passes as it is. Where one has, packets are numbered for their
 * leg, and a password in another form than the server's leg needs is carried over (password-carrier.ts).
 *
 * Invariants: a client that came with TLS never tells its password to a server without TLS that is not on this machine,
 * under whatever plugin. A client is only heard when the server has asked it something, so that statements sent ahead
 * of the login's end wait for the session.
 */
import { limits } from '../../src/core/limits.js';
import { type PluginKind, pluginKind, shownPlugin } from './auth-plugins.js';
import {
  buildPacket,
  type PacketInbox,
  type RefusalError,
  refusalError,
  renumbered,
  type TakenPacket,
} from './handshake-packets.js';
import { type AuthPacket, withAuthData } from './login-packet.js';
import { type Legs, PasswordCarrier } from './password-carrier.js';
import type { ProxyKey } from './rsa-password.js';

const header = { ok: 0x00, moreData: 0x01, nextFactor: 0x02, switchRequest: 0xfe, err: 0xff } as const;
/** What caching_sha2_password sends after `moreData`. */
const cachingSha2 = { fastDone: 0x03, fullAsked: 0x04 } as const;
/** A longer one ends with a terminator. */
const scrambleBytes = 20;

export interface RelayLegs extends Legs {
  /** What is sent to the server does not leave this machine. */
  readonly isServerLocal: boolean;
}

export interface AuthRelayOptions {
  readonly legs: RelayLegs;
  readonly fromClient: PacketInbox;
  readonly fromServer: PacketInbox;
  /** The packet that begins it, numbered as the client did, else as it goes to the server. */
  readonly packet: Buffer;
  readonly login: AuthPacket;
  /** A packet's number on the client's leg less its number on the server's. */
  readonly offset: number;
  /** The greeting's. */
  readonly scramble: Buffer;
  /** Both ends know of further factors, whose requests look like data of other plugins. */
  readonly hasFactors: boolean;
  readonly proxyKey: ProxyKey;
}

export type AuthOutcome =
  | { readonly kind: 'pending' }
  /** By the server's OK or ERR packet, which is the last of `toClient`. */
  | { readonly kind: 'accepted' | 'rejected'; readonly end: Buffer }
  /** We refuse, in these words. */
  | { readonly kind: 'refused'; readonly error: RefusalError; readonly message: string };

export interface AuthStep {
  readonly toClient: readonly Buffer[];
  readonly toServer: readonly Buffer[];
  readonly outcome: AuthOutcome;
}

/** A packet of the client that answers the server; in the login packet it is `data` that answers. */
interface Answer {
  readonly sequence: number;
  readonly packet: Buffer;
  readonly data: Buffer;
  readonly login: AuthPacket | null;
}

const pending: AuthOutcome = { kind: 'pending' };

export class AuthRelay {
  readonly #options: AuthRelayOptions;
  readonly #carrier: PasswordCarrier;
  #kind: PluginKind = 'challenge';
  #scramble: Buffer;
  /** The server waits for the client. */
  #isClientAsked = false;
  #offset: number;
  /** Number of the last packet on the client's leg, whoever sent it. */
  #lastNumber: number;
  /** The answer whose password is being carried over. */
  #carried: Answer | null = null;
  #toClient: Buffer[] = [];
  #toServer: Buffer[] = [];

  constructor(options: AuthRelayOptions) {
    const { legs, packet, scramble, proxyKey, offset } = options;
    this.#options = options;
    this.#carrier = new PasswordCarrier(legs, proxyKey);
    this.#offset = offset;
    this.#scramble = scramble;
    this.#lastNumber = packet[3] ?? 0;
  }

  /** The number under which the client takes a word of the proxy itself; where it is to speak first, the one after. */
  get nextToClient(): number {
    return this.#lastNumber + (this.#isClientAsked ? 2 : 1);
  }

  /** Sends the first packet, or asks the client for what has to go into it. */
  start(): AuthStep {
    const { packet, login } = this.#options;
    const outcome = this.#begin(login.plugin);
    if (outcome.kind !== 'pending') return this.#stepOf(outcome);
    const answered = this.#answer({ sequence: this.#lastNumber, packet, data: login.authData, login });
    return this.#stepOf(answered.kind === 'pending' ? this.#hearServer() : answered);
  }

  clientBytes(chunk: Buffer): AuthStep {
    this.#options.fromClient.push(chunk);
    return this.#stepOf(this.#hearClient());
  }

  serverBytes(chunk: Buffer): AuthStep {
    this.#options.fromServer.push(chunk);
    return this.#stepOf(this.#hearServer());
  }

  #hearServer(): AuthOutcome {
    for (;;) {
      const taken = this.#options.fromServer.take(limits.maxLoginPacketBytes);
      if (taken.kind === 'incomplete') return this.#hearClient();
      const outcome =
        taken.kind === 'too-long'
          ? refused(refusalError.upstreamFailed, 'The upstream database server sent no login as MySQL does.')
          : this.#serverPacket(taken);
      if (outcome.kind !== 'pending') return outcome;
    }
  }

  #hearClient(): AuthOutcome {
    const { fromClient } = this.#options;
    for (;;) {
      const sequence = fromClient.nextSequence();
      if (sequence === null) return pending;
      // A statement begins a new count. Whatever else comes unasked is the server's to judge, unless it may be secret.
      const { isClientSecure, isServerSecure } = this.#options.legs;
      if (!this.#isClientAsked && (sequence === 0 || isClientSecure !== isServerSecure)) return pending;
      const taken = fromClient.take(limits.maxLoginPacketBytes);
      if (taken.kind === 'incomplete') return pending;
      if (taken.kind === 'too-long') {
        return refused(refusalError.packetTooLong, 'The packet is longer than any of a login.');
      }
      this.#isClientAsked = false;
      this.#lastNumber = sequence;
      const outcome = this.#answer({ ...taken, data: taken.payload, login: null });
      if (outcome.kind !== 'pending') return outcome;
    }
  }

  #answer(answer: Answer): AuthOutcome {
    const carried = this.#carrier.clientData(answer.data, this.#scramble);
    switch (carried.kind) {
      case 'pass':
        this.#send(answer.packet, answer.sequence - this.#offset);
        return pending;
      case 'ask-server':
        this.#carried = answer;
        this.#send(replaced(answer, carried.data), answer.sequence - this.#offset);
        // A login packet is a copy in which the password still is.
        answer.packet.fill(0);
        return pending;
      case 'show-key':
        this.#carried = answer;
        this.#show(
          buildPacket(Buffer.concat([Buffer.from([header.moreData]), carried.data]), 0),
          answer.sequence + 1,
        );
        this.#isClientAsked = true;
        return pending;
      case 'replace': {
        const first = this.#carried ?? answer;
        const number = first.sequence - this.#offset;
        this.#send(replaced(first, carried.data), number);
        carried.data.fill(0);
        this.#carriedOver(answer.sequence, number);
        return pending;
      }
      case 'failed':
        return refused(carried.error, carried.message);
    }
  }

  #serverPacket(taken: Extract<TakenPacket, { kind: 'packet' }>): AuthOutcome {
    const { payload, sequence, packet } = taken;
    const first = payload[0];
    const isEnd = first === header.ok || first === header.err;
    const isSwitch =
      first === header.switchRequest || (first === header.nextFactor && this.#options.hasFactors);
    if (!isEnd && !isSwitch) return this.#pluginData(taken);
    this.#carrier.forget();
    this.#carried = null;
    if (isSwitch) {
      const outcome = this.#switch(payload);
      if (outcome.kind !== 'pending') return outcome;
    }
    this.#show(packet, sequence + this.#offset);
    this.#isClientAsked = isSwitch;
    if (isSwitch) return pending;
    return { kind: first === header.ok ? 'accepted' : 'rejected', end: packet };
  }

  #switch(payload: Buffer): AuthOutcome {
    // Of one byte it is the oldest form, which goes on with the greeting's challenge.
    if (payload.length === 1) return this.#begin('mysql_old_password');
    const end = payload.indexOf(0, 1);
    const nameEnd = end < 0 ? payload.length : end;
    this.#scramble = payload.subarray(nameEnd + 1, nameEnd + 1 + scrambleBytes);
    return this.#begin(payload.toString('latin1', 1, nameEnd));
  }

  #begin(plugin: string): AuthOutcome {
    this.#kind = pluginKind(plugin);
    this.#carrier.begin(this.#kind);
    const { isClientSecure, isServerSecure, isServerLocal } = this.#options.legs;
    if (this.#kind !== 'revealing' || !isClientSecure || isServerSecure || isServerLocal) return pending;
    return refused(
      refusalError.tlsRequired,
      `The authentication plugin ${shownPlugin(plugin)} may send the password in clear, and the proxy reaches the ` +
        'database without TLS: set tls.mode to require for this upstream.',
    );
  }

  #pluginData({ payload, sequence, packet }: Extract<TakenPacket, { kind: 'packet' }>): AuthOutcome {
    if (this.#carrier.isServerKeyAwaited) return this.#serverKey(payload, sequence);
    const isOfCachingSha2 =
      this.#kind === 'caching-sha2' && payload.length === 2 && payload[0] === header.moreData;
    if (isOfCachingSha2 && payload[1] === cachingSha2.fullAsked) this.#carrier.expectPassword();
    this.#show(packet, sequence + this.#offset);
    this.#isClientAsked = !(isOfCachingSha2 && payload[1] === cachingSha2.fastDone);
    return pending;
  }

  #serverKey(payload: Buffer, sequence: number): AuthOutcome {
    const carried = this.#carrier.serverKey(payload.subarray(1), this.#scramble);
    if (carried.kind === 'failed') return refused(carried.error, carried.message);
    if (carried.kind === 'replace' && this.#carried !== null) {
      this.#send(buildPacket(carried.data, 0), sequence + 1);
      this.#carriedOver(this.#carried.sequence, sequence + 1);
    }
    return pending;
  }

  /** From here the legs count on from these two numbers. */
  #carriedOver(ofClient: number, ofServer: number): void {
    this.#offset = ofClient - ofServer;
    this.#carried = null;
  }

  #show(packet: Buffer, sequence: number): void {
    this.#lastNumber = sequence & 0xff;
    this.#toClient.push(renumbered(packet, sequence));
  }

  #send(packet: Buffer, sequence: number): void {
    this.#toServer.push(renumbered(packet, sequence));
  }

  #stepOf(outcome: AuthOutcome): AuthStep {
    if (outcome.kind !== 'pending') this.#carrier.forget();
    const step = { toClient: this.#toClient, toServer: this.#toServer, outcome };
    this.#toClient = [];
    this.#toServer = [];
    return step;
  }
}

function refused(error: RefusalError, message: string): AuthOutcome {
  return { kind: 'refused', error, message };
}

/** The answer with other data in place of its own. */
function replaced(answer: Answer, data: Buffer): Buffer {
  return answer.login === null ? buildPacket(data, 0) : withAuthData(answer.packet, answer.login, data);
}
