/** Puts an observer on a session and takes it off again, with the cancel keys by which other connections name it. */
import type { BlindReason, CancellableObserver, SessionIdentity } from '../core/adapter.js';
import type { SessionEnvironment } from './session-environment.js';

export interface Observation {
  readonly observer: CancellableObserver;
  /** Settles the session with the application and forgets its keys. */
  close(): void;
}

/** Sees nothing and passes everything: for a session that cannot be followed, or whose observing could not begin. */
const passThrough: CancellableObserver = {
  toServer: () => undefined,
  toClient: (chunk, out) => out.write(chunk),
  end: () => undefined,
  cancelRelayed: () => undefined,
  blindReason: 'observer_error',
};

export function startObserving(
  env: SessionEnvironment,
  sessionId: string,
  identity: SessionIdentity,
  listenerAddress: string,
): Observation {
  const onBlind = (reason: BlindReason): void => {
    env.counters.count('blind_sessions', reason);
    env.log.info({ session: sessionId, reason }, 'session is relayed without being observed');
  };
  if (identity.blindReason !== null) {
    onBlind(identity.blindReason);
    return { observer: passThrough, close: () => undefined };
  }
  try {
    return observation(env, sessionId, identity, listenerAddress, onBlind);
  } catch {
    onBlind('observer_error');
    return { observer: passThrough, close: () => undefined };
  }
}

function observation(
  env: SessionEnvironment,
  sessionId: string,
  identity: SessionIdentity,
  listenerAddress: string,
  onBlind: (reason: BlindReason) => void,
): Observation {
  const opened = env.openSession(identity, sessionId);
  const { context, handler } = opened;
  const keys: string[] = [];
  const observer = env.adapter.createObserver(
    {
      session: context,
      handler,
      onBlind,
      onCancelKey: (key) => {
        keys.push(key);
        env.cancelKeys.add(key, observer);
      },
      onReady: () => opened.onReady?.(),
      listenerAddress,
    },
    env.policy,
    identity,
  );
  return {
    observer,
    close: () => {
      for (const key of keys) env.cancelKeys.remove(key, observer);
      handler.close();
      opened.onClosed?.();
    },
  };
}
