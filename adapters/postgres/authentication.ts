/**
 * What the two ways of authenticating (relayed, terminated) tell the handshake after each read. Types and the buffer
 * of frames both use; neither knows sockets.
 */
import { type TakenFrame, takeFrame } from './handshake-frames.js';

export interface AuthenticationStep {
  readonly toClient: readonly Buffer[];
  readonly toServer: readonly Buffer[];
  readonly outcome: AuthenticationOutcome;
}

export type AuthenticationOutcome =
  | { readonly kind: 'pending' }
  /** `auth: terminate`: the client has proved itself; its upstream can be connected. */
  | { readonly kind: 'client-accepted'; readonly upstreamStartup: Buffer }
  /** The server accepted the login; what was read beyond belongs to the session. */
  | { readonly kind: 'accepted'; readonly fromClient: Buffer; readonly fromServer: Buffer }
  /** From here the session is relayed without having seen the end of the login. */
  | { readonly kind: 'relay'; readonly fromClient: Buffer; readonly fromServer: Buffer }
  /** We refuse, in these words. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** The server's own refusal is among `toClient`; nothing is to be added. */
  | { readonly kind: 'rejected' };

const nothing: readonly Buffer[] = [];
export const pendingStep: AuthenticationStep = {
  toClient: nothing,
  toServer: nothing,
  outcome: { kind: 'pending' },
};

export function refusedStep(code: string, message: string): AuthenticationStep {
  return { toClient: nothing, toServer: nothing, outcome: { kind: 'refused', code, message } };
}

/** Bytes of one end from which frames are taken in order; bounded by the frame bound of `takeFrame`. */
export class FrameInbox {
  #unread: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
  }

  /** Type byte of the next frame, however much of it is here; undefined when nothing is. */
  nextType(): number | undefined {
    return this.#unread[0];
  }

  take(): TakenFrame {
    const taken = takeFrame(this.#unread);
    if (taken.kind === 'frame') this.#unread = this.#unread.subarray(taken.frame.length);
    return taken;
  }

  /** Everything not taken, and the inbox is empty. */
  takeRest(): Buffer {
    const rest = this.#unread;
    this.#unread = Buffer.alloc(0);
    return rest;
  }
}
