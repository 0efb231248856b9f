/**
 * What is counted, by name: the one list from which /metrics is made. Every drop, bypass and give-up has a counter.
 * Counting is a map increment; export to Prometheus reads the same numbers (src/observe/metrics.ts).
 */
export const counterNames = {
  statement_warnings: 'Warnings that statements left which ran',
  statements_failed: 'Statements the server refused, by class',
  failures_unclassified: 'Failures whose code is not in the class table, by code',
  failures_not_recorded: 'Failures that are never recorded, by reason',
  failures_recorded: 'Failures added to the memory as new records',
  failures_observed: 'Failures that were one more occurrence of a known record',
  failures_dropped: 'Failures that could not be recorded, by reason',
  notes_attached: 'Notes put on the wire, by class',
  notes_withheld: 'Notes that were due and not shown, by reason',
  recalls: 'Recall attempts after an error, by outcome (exact, similar, none, no_catalog)',
  feedback: 'What followed a shown note, by kind',
  retractions: 'Records retracted by an unchanged success',
  skipped_unmatched_retraction: 'Corrections that matched no record',
  resolutions: 'Resolutions backfilled',
  successes_seen: 'Successes matched against open failures or live records',
  bypassed: 'Observations not made, by reason',
  blind_sessions: 'Sessions whose observer gave up, by reason',
  connections_accepted: 'Client connections accepted, by listener',
  connections_refused: 'Client connections refused, by reason',
  connections_closed: 'Sessions ended, by reason',
  cancels_relayed: 'Cancel requests relayed',
  bytes_to_server: 'Bytes relayed to the server',
  bytes_to_client: 'Bytes relayed to the client',
  store_events_written: 'Events written to the store',
  store_events_dropped: 'Events dropped, by reason (queue_full, write_failed, closed)',
  store_lines_healed: 'Damaged lines found in the store and passed over, by kind',
  store_log_disturbed:
    'Times the log was found changed by another program, by kind (missing, replaced, resized)',
  catalog_reads: 'Catalog reads, by outcome',
  catalog_probes: 'Catalog probes, by outcome',
  catalog_databases_refused: 'Databases not polled because the bound was reached',
} as const;

export type CounterName = keyof typeof counterNames;

export interface Counters {
  /** Adds `by` (default 1) to the counter, under `label` where the counter has one. */
  count(name: CounterName, label?: string, by?: number): void;
}

/** For callers that do not care. */
export const noCounters: Counters = { count: () => undefined };
