// Which needs a channel is notified of, and when. It is a function of what the channel knows, what stands, and the time.
import type { Need } from '../../operator/contract/overview.ts';
import type { QuietHours } from './config.ts';
import { isQuiet } from './quiet-hours.ts';

type Kind = Need['kind'];
type Severity = Need['severity'];

/** What a notice says of a need: ids, counts and names, never a reason, which may name a person. */
export interface NeedFacts {
  readonly key: string;
  readonly kind: Kind;
  readonly severity: Severity;
  readonly account: string | null;
  readonly name: string;
  readonly run: string | null;
  readonly code: string | null;
  readonly count: number;
  /** Of a refused token: the work that waits. What a channel knows from the ledger has none. */
  readonly blocks?: Need['blocks'];
  /** Path of the console that shows it. */
  readonly path: string;
}

/** A need as a channel knows it. All times are milliseconds since 1970, by the ledger's clock. */
export interface TrackedNeed extends NeedFacts {
  readonly firstSeenAt: number;
  /** Since when it is not seen. Null: it stands. */
  readonly goneAt: number | null;
  /** When an attempt to notify its begin was made whose result is not known. */
  readonly attemptedAt: number | null;
  readonly notifiedAt: number | null;
}

export interface ChannelRules {
  readonly severity: Severity;
  readonly afterMs: number;
  readonly groupMs: number;
  readonly quiet: QuietHours | null;
}

export interface DueNotice {
  readonly began: readonly TrackedNeed[];
  readonly ended: readonly TrackedNeed[];
}

/** A need that comes back within this time has not ended: one that comes and goes makes no notice each time. */
export const ENDS_AFTER_MS = 120_000;

const RANKS: readonly Severity[] = ['info', 'warning', 'critical'];

export const isSevereEnough = ({ severity }: Pick<NeedFacts, 'severity'>, least: Severity): boolean =>
  RANKS.indexOf(severity) >= RANKS.indexOf(least);

/**
 * Brings what the channel knows up to what stands now.
 * @param mayStand whether a need may stand although it is not in the list
 */
export function track(
  before: readonly TrackedNeed[],
  standing: readonly NeedFacts[],
  mayStand: (need: NeedFacts) => boolean,
  now: number,
): TrackedNeed[] {
  const known = new Map(before.map((need) => [need.key, need]));
  const seen = standing.map((facts): TrackedNeed => {
    const { firstSeenAt = now, attemptedAt = null, notifiedAt = null } = known.get(facts.key) ?? {};
    known.delete(facts.key);
    return { ...facts, firstSeenAt, goneAt: null, attemptedAt, notifiedAt };
  });
  const gone = [...known.values()].flatMap((need): TrackedNeed[] => {
    if (need.goneAt === null && mayStand(need)) return [need];
    const goneAt = need.goneAt ?? now;
    const isOver = now - goneAt >= ENDS_AFTER_MS;
    // Nobody was notified of it, so nobody misses its end.
    return isOver && !isAnnounced(need) ? [] : [{ ...need, goneAt }];
  });
  return [...seen, ...gone];
}

const isAnnounced = ({ notifiedAt, attemptedAt }: TrackedNeed) => notifiedAt !== null || attemptedAt !== null;

/** Null: nothing is due, or it is not yet time. */
export function dueNotice(
  needs: readonly TrackedNeed[],
  { afterMs, groupMs, quiet }: ChannelRules,
  now: number,
): DueNotice | null {
  if (quiet !== null && isQuiet(quiet, now)) return null;
  const beginDue = ({ firstSeenAt }: TrackedNeed) => firstSeenAt + afterMs;
  const endDue = ({ goneAt }: TrackedNeed) => (goneAt ?? now) + ENDS_AFTER_MS;
  const began = needs.filter(
    (need) => need.notifiedAt === null && need.goneAt === null && beginDue(need) <= now,
  );
  const ended = needs.filter((need) => need.goneAt !== null && isAnnounced(need) && endDue(need) <= now);
  const first = Math.min(...began.map(beginDue), ...ended.map(endDue));
  return now < first + groupMs ? null : { began, ended };
}

/** Time until the next attempt, in milliseconds: 30 s, then twice as long each time, up to 30 minutes. */
export function backoffMs(failures: number): number {
  return Math.min(30_000 * 2 ** (failures - 1), 1_800_000);
}
