/** What a success of a remembered shape does to its records: it counts against them, and takes structural ones back. */
import { limits } from '../limits.js';
import type { MemoryRecord } from '../memory/record.js';
import { matchesFingerprint } from '../recall/gate.js';
import type { SchemaModel } from '../schema/model.js';
import { fingerprintOf } from './observed-failure.js';
import { unchangedSuccess } from './outbox.js';
import type { SinkCore, SuccessToJudge } from './sink-core.js';

/** Judges `success` under `model`, the schema it ran in. */
export function judgeSuccess(core: SinkCore, success: SuccessToJudge, model: SchemaModel): void {
  const resolved = model.resolve(success.tables, success.searchPath, success.user);
  // It ran on a table that is not declared, so on a temporary one, which says nothing of the table others miss.
  if (resolved.hasAbsent) return;
  const fingerprint = fingerprintOf(resolved, model);
  const isSameWorld = (record: MemoryRecord) => matchesFingerprint(record, fingerprint);
  if (success.contradicts !== null) contradict(core, success.contradicts, isSameWorld);
  // A copy: retracting does not change the list today, but nothing here should depend on that.
  for (const record of [...success.partition.exact(success.shape)]) {
    if (record.status !== 'live' || !isSameWorld(record)) continue;
    core.outbox.succeeded(record, core.now());
    core.counters.count('successes_seen');
    if (isDisproved(record, success)) retract(core, record);
  }
}

/** A structural failure is independent of values, so the same statement running means that it no longer holds. */
function isDisproved(record: MemoryRecord, success: SuccessToJudge): boolean {
  if (!record.isStructural || record.holes !== success.holes) return false;
  // What one user may do says nothing of what another may.
  return record.class !== 'permission' || record.evidence.user === success.user;
}

function retract(core: SinkCore, record: MemoryRecord): void {
  core.outbox.apply({ ...eventOf(core, record, 'retracted'), ...unchangedSuccess });
  core.counters.count('retractions');
}

function contradict(
  core: SinkCore,
  contradicts: NonNullable<SuccessToJudge['contradicts']>,
  isSameWorld: (record: MemoryRecord) => boolean,
): void {
  const target = core.memory.byId(contradicts.record.id);
  if (target === undefined || target.status !== 'live') {
    core.counters.count('skipped_unmatched_retraction');
    return;
  }
  const noted = contradicts.noted === null ? undefined : core.memory.byId(contradicts.noted.id);
  if (noted === undefined || !isSameWorld(noted)) return;
  core.outbox.apply({ ...eventOf(core, noted, 'feedback'), kind: 'contradicted', count: 1 });
  core.counters.count('feedback', 'contradicted');
  if (noted.status !== 'live' || noted.contradicted < limits.contradictionsBeforeReview) return;
  core.outbox.apply({ ...eventOf(core, noted, 'reviewed'), verdict: 'under_review', author: 'feedback' });
}

/** The head of an event about `record`, now. */
export function eventOf<Kind extends string>(core: SinkCore, record: MemoryRecord, event: Kind) {
  return { v: 1, event, id: record.id, at: new Date(core.now()).toISOString() } as const;
}
