/**
 * `auth: terminate`: the client logs in at the proxy by SCRAM-SHA-256, then the proxy logs in upstream with the
 * configured account (docs 54.2.1 "Start-up", 54.3 "SASL Authentication").
 *
 * Invariant: AuthenticationOk reaches the client only when both logins succeeded, and the upstream's own word is what
 * passes. Neither password ever crosses to the other leg.
 */
import { createHash } from 'node:crypto';
import {
  type AuthenticationOutcome,
  type AuthenticationStep,
  FrameInbox,
  pendingStep,
  refusedStep,
} from './authentication.js';
import { saslMechanisms } from './channel-binding.js';
import { authenticationCode, authenticationFrame, passwordFrame, refusalCode } from './handshake-frames.js';
import { clientMessage, serverMessage } from './messages/message-type.js';
import * as scram from './scram.js';
import { type StartupParameters, startupParameter, withUser } from './startup.js';
import type { TerminatedUsers } from './terminated-users.js';

const nonceBytes = 18;

const wrongPassword = refusedStep(refusalCode.invalidPassword, 'Password authentication failed.');
const malformed = refusedStep(refusalCode.protocolViolation, 'Malformed authentication message.');

export interface TerminatedAuthenticationOptions {
  readonly users: TerminatedUsers;
  readonly packet: Buffer;
  readonly parameters: StartupParameters;
  randomBytes(size: number): Buffer;
}

type ClientStage =
  | { readonly kind: 'choice' }
  | { readonly kind: 'proof'; readonly first: scram.ScramServerFirst }
  | { readonly kind: 'accepted' };

type ServerStage =
  | { readonly kind: 'request' }
  | { readonly kind: 'sasl-continue'; readonly clientNonce: string }
  | { readonly kind: 'sasl-final'; readonly expected: string }
  | { readonly kind: 'ok-only' };

export class TerminatedAuthentication {
  readonly #options: TerminatedAuthenticationOptions;
  readonly #name: string;
  readonly #fromClient = new FrameInbox();
  readonly #fromServer = new FrameInbox();
  #client: ClientStage = { kind: 'choice' };
  #server: ServerStage = { kind: 'request' };
  #mayShowPassword = false;

  constructor(options: TerminatedAuthenticationOptions) {
    this.#options = options;
    this.#name = startupParameter(options.parameters, 'user') ?? '';
  }

  /** The offer; the first thing the client gets. */
  start(): AuthenticationStep {
    if (this.#name === '') return refusedStep(refusalCode.invalidAuthorization, 'No user name was given.');
    const offer = Buffer.from(`${scram.scramMechanism}\0\0`);
    return { ...pendingStep, toClient: [authenticationFrame(authenticationCode.sasl, offer)] };
  }

  clientBytes(chunk: Buffer): AuthenticationStep {
    this.#fromClient.push(chunk);
    if (this.#client.kind === 'accepted') return pendingStep;
    const taken = this.#fromClient.take();
    if (taken.kind === 'incomplete') return pendingStep;
    if (taken.kind === 'malformed' || taken.type !== clientMessage.password) return malformed;
    return this.#client.kind === 'choice'
      ? this.#answerChoice(taken.body)
      : this.#checkProof(taken.body, this.#client.first);
  }

  /** The upstream is there; `mayShowPassword`: a password in clear would not leave this machine unencrypted. */
  serverReady(mayShowPassword: boolean): void {
    this.#mayShowPassword = mayShowPassword;
  }

  serverBytes(chunk: Buffer): AuthenticationStep {
    const toClient: Buffer[] = [];
    const toServer: Buffer[] = [];
    this.#fromServer.push(chunk);
    for (;;) {
      const taken = this.#fromServer.take();
      if (taken.kind === 'incomplete') return { toClient, toServer, outcome: { kind: 'pending' } };
      if (taken.kind === 'malformed') return this.#upstreamRefused('sent a message that makes no sense');
      if (taken.type === serverMessage.errorResponse) return this.#rejected(taken.frame, toClient);
      if (taken.type !== serverMessage.authentication) {
        // NoticeResponse, NegotiateProtocolVersion: the client's to see.
        toClient.push(taken.frame);
        continue;
      }
      if (taken.body.length < 4) return this.#upstreamRefused('sent a message that makes no sense');
      const outcome = this.#answerRequest(taken.frame, taken.body, toServer);
      if (outcome === null) continue;
      if (outcome.kind === 'accepted') toClient.push(taken.frame);
      return { toClient, toServer, outcome };
    }
  }

  #answerChoice(body: Buffer): AuthenticationStep {
    const mechanismEnd = body.indexOf(0);
    if (mechanismEnd < 0 || body.length < mechanismEnd + 5) return malformed;
    const mechanism = body.toString('latin1', 0, mechanismEnd);
    if (mechanism !== scram.scramMechanism) return malformed;
    const length = body.readInt32BE(mechanismEnd + 1);
    const initial = body.subarray(mechanismEnd + 5);
    if (length !== initial.length) return malformed;
    const nonce = this.#options.randomBytes(nonceBytes).toString('base64');
    const verifier = this.#options.users.verifierOf(this.#name);
    const first = scram.answerClientFirst(initial.toString('latin1'), verifier, nonce);
    if (typeof first === 'string') return refusalOf(first);
    this.#client = { kind: 'proof', first };
    const answer = authenticationFrame(authenticationCode.saslContinue, Buffer.from(first.message));
    return { ...pendingStep, toClient: [answer] };
  }

  #checkProof(body: Buffer, first: scram.ScramServerFirst): AuthenticationStep {
    const final = scram.answerClientFinal(body.toString('latin1'), first);
    if (typeof final === 'string') return refusalOf(final);
    const user = this.#options.users.find(this.#name);
    if (user === null) return wrongPassword;
    this.#client = { kind: 'accepted' };
    const answer = authenticationFrame(authenticationCode.saslFinal, Buffer.from(final.message));
    const upstreamStartup = withUser(this.#options.packet, user.upstreamUser);
    return { toClient: [answer], toServer: [], outcome: { kind: 'client-accepted', upstreamStartup } };
  }

  /** Null to go on with the next frame. */
  #answerRequest(frame: Buffer, body: Buffer, toServer: Buffer[]): AuthenticationOutcome | null {
    const user = this.#options.users.find(this.#name);
    if (user === null) return wrongPassword.outcome;
    const rest = body.subarray(4);
    switch (body.readInt32BE(0)) {
      case authenticationCode.ok:
        return this.#accepted();
      case authenticationCode.cleartextPassword:
        if (!this.#mayShowPassword) {
          return this.#upstreamRefused('asks for the password in clear over a connection without TLS')
            .outcome;
        }
        toServer.push(passwordFrame(Buffer.from(`${user.upstreamPassword}\0`)));
        break;
      case authenticationCode.md5Password:
        toServer.push(
          passwordFrame(Buffer.from(`${md5Answer(user.upstreamUser, user.upstreamPassword, rest)}\0`)),
        );
        break;
      case authenticationCode.sasl:
        return this.#startScram(frame, toServer);
      case authenticationCode.saslContinue:
        return this.#continueScram(rest.toString('latin1'), toServer);
      case authenticationCode.saslFinal:
        return this.#finishScram(rest.toString('latin1'));
      default:
        return this.#upstreamRefused('asks for an authentication method that the proxy does not have')
          .outcome;
    }
    this.#server = { kind: 'ok-only' };
    return null;
  }

  #accepted(): AuthenticationOutcome {
    // A server that broke off a SCRAM exchange has not proved that it knows the password.
    if (this.#server.kind === 'sasl-continue' || this.#server.kind === 'sasl-final') {
      return this.#upstreamRefused('did not finish its login exchange').outcome;
    }
    return {
      kind: 'accepted',
      fromClient: this.#fromClient.takeRest(),
      fromServer: this.#fromServer.takeRest(),
    };
  }

  #startScram(frame: Buffer, toServer: Buffer[]): AuthenticationOutcome | null {
    if (!saslMechanisms(frame)?.includes(scram.scramMechanism)) {
      return this.#upstreamRefused('offers no login mechanism that the proxy has').outcome;
    }
    const clientNonce = this.#options.randomBytes(nonceBytes).toString('base64');
    const first = Buffer.from(scram.clientFirstMessage(clientNonce));
    const head = Buffer.from(`${scram.scramMechanism}\0\0\0\0\0`);
    head.writeInt32BE(first.length, head.length - 4);
    toServer.push(passwordFrame(Buffer.concat([head, first])));
    this.#server = { kind: 'sasl-continue', clientNonce };
    return null;
  }

  #continueScram(serverFirst: string, toServer: Buffer[]): AuthenticationOutcome | null {
    if (this.#server.kind !== 'sasl-continue') {
      return this.#upstreamRefused('sent its login messages out of order').outcome;
    }
    const final = scram.answerServerFirst(serverFirst, this.#server.clientNonce, (salt, iterations) =>
      this.#options.users.upstreamKeys(this.#name, salt, iterations),
    );
    if (final === null) return this.#upstreamRefused('sent a login challenge that makes no sense').outcome;
    toServer.push(passwordFrame(Buffer.from(final.message)));
    this.#server = { kind: 'sasl-final', expected: final.expectedServerFinal };
    return null;
  }

  #finishScram(serverFinal: string): AuthenticationOutcome | null {
    if (this.#server.kind !== 'sasl-final' || !scram.isSameText(serverFinal, this.#server.expected)) {
      return this.#upstreamRefused('could not prove that it knows the password').outcome;
    }
    this.#server = { kind: 'ok-only' };
    return null;
  }

  /** The server's refusal passes, unless it speaks of the account behind the client's back. */
  #rejected(frame: Buffer, toClient: readonly Buffer[]): AuthenticationStep {
    const code = /\0C(28[0-9A-Z]{3})\0/.exec(frame.toString('latin1'))?.[1];
    if (code !== undefined) return this.#upstreamRefused(`refused the account configured for it (${code})`);
    return { toClient: [...toClient, frame], toServer: [], outcome: { kind: 'rejected' } };
  }

  #upstreamRefused(what: string): AuthenticationStep {
    return refusedStep(
      refusalCode.invalidAuthorization,
      `The proxy could not log in upstream: the server ${what}.`,
    );
  }
}

function refusalOf(refusal: scram.ScramRefusal): AuthenticationStep {
  switch (refusal) {
    case 'wrong_proof':
      return wrongPassword;
    case 'channel_binding':
      return refusedStep(
        refusalCode.invalidAuthorization,
        'The proxy does not bind logins to TLS: connect with channel_binding=disable or prefer.',
      );
    case 'malformed':
      return malformed;
  }
}

function md5Answer(user: string, password: string, salt: Buffer): string {
  const inner = createHash('md5').update(`${password}${user}`).digest('hex');
  return `md5${createHash('md5').update(inner).update(salt).digest('hex')}`;
}
