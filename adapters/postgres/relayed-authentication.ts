/**
 * A login relayed to an upstream whose TLS connection is not the client's: every frame passes as it is, but mechanisms
 * that bind to TLS leave the server's offer, and a client that binds nevertheless is told what to set, since the
 * server could only call it a failed check (docs 54.3 "SASL Authentication").
 */
import { type AuthenticationStep, FrameInbox, refusedStep } from './authentication.js';
import { gs2Flag, withoutChannelBinding } from './channel-binding.js';
import { authenticationCode, refusalCode } from './handshake-frames.js';
import { clientMessage, serverMessage } from './messages/message-type.js';

const bindingRefusal =
  'This login binds to the TLS connection to the proxy, which is not the one to the database: ' +
  'connect with channel_binding=disable.';

export class RelayedAuthentication {
  readonly #fromClient = new FrameInbox();
  readonly #fromServer = new FrameInbox();
  /** True from a shortened offer to the client's choice. */
  #isChoiceAwaited = false;

  serverBytes(chunk: Buffer): AuthenticationStep {
    const toClient: Buffer[] = [];
    this.#fromServer.push(chunk);
    for (;;) {
      const taken = this.#fromServer.take();
      if (taken.kind === 'incomplete') return { toClient, toServer: [], outcome: { kind: 'pending' } };
      if (taken.kind === 'malformed') return this.#relayed('relay', toClient);
      if (taken.type === serverMessage.errorResponse) {
        // The server closes after it; what follows is its own affair.
        toClient.push(taken.frame, this.#fromServer.takeRest());
        return { toClient, toServer: [], outcome: { kind: 'rejected' } };
      }
      const shown = withoutChannelBinding(taken.frame);
      if (shown !== taken.frame) this.#isChoiceAwaited = true;
      toClient.push(shown);
      const isAccepted =
        taken.type === serverMessage.authentication &&
        taken.body.length >= 4 &&
        taken.body.readInt32BE(0) === authenticationCode.ok;
      if (isAccepted) return this.#relayed('accepted', toClient);
    }
  }

  clientBytes(chunk: Buffer): AuthenticationStep {
    const toServer: Buffer[] = [];
    this.#fromClient.push(chunk);
    // Statements sent ahead of the login's end wait for the session, which has to see them.
    while (this.#fromClient.nextType() === clientMessage.password) {
      const taken = this.#fromClient.take();
      if (taken.kind === 'incomplete') break;
      if (taken.kind === 'malformed') {
        toServer.push(this.#fromClient.takeRest());
        break;
      }
      if (this.#isChoiceAwaited) {
        this.#isChoiceAwaited = false;
        const flag = gs2Flag(taken.frame);
        if (flag === 'y' || flag === 'p')
          return refusedStep(refusalCode.invalidAuthorization, bindingRefusal);
      }
      toServer.push(taken.frame);
    }
    return { toClient: [], toServer, outcome: { kind: 'pending' } };
  }

  #relayed(kind: 'accepted' | 'relay', toClient: readonly Buffer[]): AuthenticationStep {
    const fromClient = this.#fromClient.takeRest();
    return { toClient, toServer: [], outcome: { kind, fromClient, fromServer: this.#fromServer.takeRest() } };
  }
}
