// Hints for a person who decides what happened to a row whose outcome is unknown. They name no person.

import type { Queryable } from '../../../core/sql/database.ts';
import type { SyncRow } from '../contract/runs.ts';
import type { RowOutcome } from '../store/outcomes.ts';
import { effectOf, findUnknownEffects, type UnknownEffect } from '../store/unknown-effects.ts';

type Hints = NonNullable<SyncRow['hints']>;

/** @param runs the runs of the list */
export async function hintsOf(
  db: Queryable,
  runs: readonly string[],
  rows: readonly RowOutcome[],
): Promise<Map<RowOutcome, Hints>> {
  const unknown = rows.filter(({ status }) => status === 'unknown');
  if (unknown.length === 0) return new Map();
  const numbers = [...new Set(unknown.map(({ row }) => row))];
  // The newest comes first, and the list shows the newest.
  const effects = new Map<string, UnknownEffect>();
  for (const effect of await findUnknownEffects(db, runs, numbers))
    if (!effects.has(effect.key)) effects.set(effect.key, effect);
  const found = new Map<RowOutcome, Hints>();
  for (const row of unknown) {
    const effect = effects.get(row.key ?? '');
    if (effect !== undefined) found.set(row, hintsFrom(effect));
  }
  return found;
}

function hintsFrom(of: UnknownEffect): Hints {
  const { sent_at, sends, seen, remote_id, card } = of;
  const effect = effectOf(of);
  return {
    effect,
    target: effect === 'contact' ? null : effect === 'card' ? of.pipeline : stageOf(of),
    sentAt: sent_at?.toISOString() ?? null,
    sends,
    contact: remote_id,
    contactSeenAt: seen?.at === undefined ? null : new Date(seen.at).toISOString(),
    card: card && { id: card.remote_id, since: card.since, inTarget: inTarget(of) },
  };
}

function stageOf({ payload, intent }: UnknownEffect): string | null {
  const stage = payload?.card?.stage;
  if (typeof stage === 'string') return stage;
  const id = stage ?? intent?.mark ?? null;
  return id === null ? null : `#${id}`;
}

function inTarget({ card, intent, step }: UnknownEffect): boolean | null {
  if (step !== 'moveStage' || card === null || intent?.mark == null) return null;
  return String(card.remote_stage_id) === intent.mark;
}
