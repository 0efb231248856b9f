/** SIGTERM and SIGINT ask a process to end, a second one insists; SIGHUP asks it to read its configuration again. */
export interface SignalActions {
  /** Called for the first request to stop. */
  stop(): void;
  /** Called for each further one. */
  stopNow(): void;
  reload(): void;
}

/** Takes over the signals until the returned function is called. */
export function onSignals(actions: SignalActions): () => void {
  let requests = 0;
  const end = () => {
    requests++;
    if (requests === 1) actions.stop();
    else actions.stopNow();
  };
  const reload = () => actions.reload();
  process.on('SIGTERM', end).on('SIGINT', end).on('SIGHUP', reload);
  return () => void process.off('SIGTERM', end).off('SIGINT', end).off('SIGHUP', reload);
}
