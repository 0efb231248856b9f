/**
 * SIGTERM and SIGINT ask a process to end, a second one insists; SIGHUP asks it to read its configuration again.
 * A signal to a whole process group arrives twice where a parent (npm, a shell) passes it on too: that is one request.
 */
export interface SignalActions {
  /** Called for the first request to stop. */
  stop(): void;
  /** Called for each further one. */
  stopNow(): void;
  reload(): void;
}

/** Within this time of the first, another signal is taken for its echo (npm's was measured at 0.1 to 3 ms). */
const echoMs = 40;

/** Takes over the signals until the returned function is called. `now` is in milliseconds. */
export function onSignals(actions: SignalActions, now: () => number = () => performance.now()): () => void {
  let firstAt: number | null = null;
  const end = () => {
    if (firstAt === null) {
      firstAt = now();
      actions.stop();
    } else if (now() - firstAt > echoMs) {
      actions.stopNow();
    }
  };
  const reload = () => actions.reload();
  process.on('SIGTERM', end).on('SIGINT', end).on('SIGHUP', reload);
  return () => void process.off('SIGTERM', end).off('SIGINT', end).off('SIGHUP', reload);
}
