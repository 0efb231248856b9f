/** Ends sockets so that what was written arrives. */
import type { Socket } from 'node:net';

/**
 * Ends the socket after what is written, reads on and forgets, because closing with unread bytes would reset the
 * connection and could take our last words with it. Destroys after `timeoutMs` when the peer does not close.
 */
export function closeGently(socket: Socket, timeoutMs: number): void {
  if (socket.destroyed) return;
  socket.removeAllListeners('data');
  socket.end();
  socket.resume();
  destroyAfter(socket, timeoutMs);
}

/** Destroys the socket unless it closes in time by itself. */
export function destroyAfter(socket: Socket, timeoutMs: number): void {
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  socket.once('close', () => clearTimeout(timer));
}
