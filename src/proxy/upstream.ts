/**
 * Opens the upstream's socket. Its bytes are read into one buffer that the listener owns and copied out at their real
 * size: cheaper than a new 64 KiB block a read, and an idle session holds none.
 *
 * Invariant: outside Windows a read and its callback are one step of the event loop, so sockets may share the buffer.
 */
import { connect, type Socket } from 'node:net';
import { limits } from '../core/limits.js';

const readBufferBytes = 64 * 1024;

export class ReadBuffer {
  readonly #shared = process.platform === 'win32' ? null : Buffer.allocUnsafeSlow(readBufferBytes);

  /** The buffer a socket reads into. */
  get(): Buffer {
    return this.#shared ?? Buffer.allocUnsafeSlow(readBufferBytes);
  }
}

/** `onChunk` gets every read as a buffer of its own; it pauses by `socket.pause()`. */
export function openUpstream(
  address: { readonly host: string; readonly port: number },
  buffer: ReadBuffer,
  onChunk: (chunk: Buffer) => void,
): Socket {
  return connect({
    host: address.host,
    port: address.port,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: limits.keepAliveInitialDelayMs,
    onread: {
      buffer: buffer.get(),
      callback: (bytesRead: number, bytes: Uint8Array): boolean => {
        const chunk = Buffer.allocUnsafe(bytesRead);
        chunk.set(bytesRead === bytes.length ? bytes : bytes.subarray(0, bytesRead));
        onChunk(chunk);
        return true;
      },
    },
  });
}
