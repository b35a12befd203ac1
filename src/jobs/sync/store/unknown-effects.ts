// Effects of records whose outcome is unknown: what was sent, when and how often, and what the ledger knows since.

import { PERSON_SEEN, RECORD_PAYLOAD } from '../../../core/encryption/columns.ts';
import { decryptRow } from '../../../core/encryption/values.ts';
import type { CrmRecord } from '../../../core/record.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { IntentState } from '../../../core/store/intents.ts';
import type { CardRow, PersonRow } from '../../../core/store/people.ts';
import type { Step } from '../constants.ts';

/** The call whose answer was lost. A contact has no intent, because its upsert may be repeated. */
export type EffectKind = 'card' | 'stage' | 'contact';

export interface UnknownEffect {
  /** Ledger id of the record. */
  readonly id: number;
  readonly run_id: string;
  readonly account: string;
  readonly row_no: number;
  readonly key: string;
  readonly event_id: string | null;
  readonly step: Step | null;
  readonly todo: number;
  readonly payload: CrmRecord | null;
  /** The pipeline of the record's card, as the ledger stores it; null for a run without cards. */
  readonly pipeline: string | null;
  /** Id of the contact in the service; null when the ledger knows none. */
  readonly remote_id: number | null;
  readonly seen: PersonRow['seen'];
  /** `since`: the ledger stored it after the call went out. */
  readonly card: (Pick<CardRow, 'id' | 'remote_id' | 'remote_stage_id'> & { readonly since: boolean }) | null;
  readonly intent: { readonly id: number; readonly state: IntentState; readonly mark: string | null } | null;
  readonly sent_at: Date | null;
  readonly sends: number;
}

const PIPELINE = `u.spec #>> '{mapping,card,pipeline}'`;

/**
 * The unknown records of these runs, each person's newest first. Records with a newer outcome in one of the runs are
 * left out. "limit 1" makes it one index look-up each, even without statistics.
 * @param rows numbers in the source; null means all
 */
export async function findUnknownEffects(
  db: Queryable,
  runs: readonly string[],
  rows: readonly number[] | null,
): Promise<UnknownEffect[]> {
  const found = await db.query<UnknownEffect>(
    `select r.id, r.run_id, u.account, r.row_no, r.key, r.event_id, r.step, r.todo, r.payload, u.pipeline,
            p.remote_id, p.seen, coalesce(i.sent_at, r.sent_at) as sent_at, coalesce(i.sends, r.tries) as sends,
            case when c.id is null then null else json_build_object(
              'id', c.id, 'remote_id', c.remote_id, 'remote_stage_id', c.remote_stage_id,
              'since', c.at > coalesce(i.sent_at, r.sent_at)) end as card,
            case when i.id is null then null else json_build_object(
              'id', i.id, 'state', i.state, 'mark', i.mark) end as intent
       from (select u.id, u.account, u.seq,
                    case jsonb_typeof(u.spec #> '{mapping,card,pipeline}') when 'number' then '#' || (${PIPELINE}) else ${PIPELINE} end as pipeline
               from runs u where u.id = any($1)) u
       join run_records r on r.run_id = u.id
       left join lateral (select * from people p where p.account = u.account and p.key = r.key limit 1) p on true
       left join lateral (
         select * from cards c where c.account = u.account and c.person_id = p.id and c.pipeline = u.pipeline limit 1) c on true
       left join lateral (
         select * from intents i
          where i.account = u.account and i.kind = case r.step when 'createCard' then 'card' when 'moveStage' then 'stage' end
            and i.subject = case r.step when 'createCard' then p.id || '/' || u.pipeline else c.id::text end limit 1) i on true
      where r.status = 'unknown' and ($2::int[] is null or r.row_no = any($2))
        and not exists (
          select 1 from run_records n join runs m on m.id = n.run_id
           where n.run_id = any($1) and m.seq > u.seq and n.key = r.key and n.status not in ('pending', 'unknown'))
      order by u.seq desc, r.id`,
    [runs, rows],
  );
  return found.map((row) => decryptRow(db, RECORD_PAYLOAD, decryptRow(db, PERSON_SEEN, row)));
}

export function effectOf({ step }: Pick<UnknownEffect, 'step'>): EffectKind {
  return step === 'createCard' ? 'card' : step === 'moveStage' ? 'stage' : 'contact';
}
