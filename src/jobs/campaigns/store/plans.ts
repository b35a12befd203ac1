// Campaign plans: how a new plan replaces an older one.

import { campaignRoute, runIdSql } from '../../../core/ids.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { Database, Queryable } from '../../../core/sql/database.ts';
import type { CampaignSpec } from '../contract/batches.ts';
import { digestOfSpec, moveCampaign } from './campaigns.ts';

export interface NewPlan {
  readonly spec: CampaignSpec;
  readonly by: string;
  readonly at: Date;
  /** Run id of the planning workflow, so that an attempt after a lost answer finds the plan that it opened. */
  readonly workflow: string;
}

/**
 * @returns id of the plan's run, `{account}/+{campaign}/{sequence number}`, or of the unfinished run that prevents it
 */
export async function openPlan(db: Database, plan: NewPlan): Promise<{ run: string } | { underWay: string }> {
  const { account, campaign } = plan.spec;
  const sync = campaignRoute(campaign);
  return await db.transaction(async (tx) => {
    // Serializes callers that open plans of one campaign.
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 724314))', [`${account}/${sync}`]);
    const open = await openRunOf(tx, account, sync);
    if (open?.state === 'running') return { underWay: open.run };
    if (open?.state === 'planning' && open.workflow === plan.workflow) return { run: open.run };
    if (open !== undefined) {
      await moveCampaign(tx, open.run, ['planning', 'planned'], 'void', plan.at, 'a newer plan replaced it');
      await recordCommand(tx, open.run, plan, 'void', 'a newer plan replaced it');
    }
    const run = await insertPlan(tx, sync, plan);
    await recordCommand(tx, run, plan, 'plan', '');
    return { run };
  });
}

async function openRunOf(tx: Queryable, account: string, sync: string) {
  const [row] = await tx.query<{ run: string; state: string; workflow: string | null }>(
    `select c.run_id as run, c.state, c.parts ->> 'workflow' as workflow
       from runs r join campaigns c on c.run_id = r.id
      where r.account = $1 and r.sync = $2 and r.finished_at is null for update of c`,
    [account, sync],
  );
  return row;
}

async function insertPlan(tx: Queryable, sync: string, { spec, by, at, workflow }: NewPlan): Promise<string> {
  const [row] = await tx.query<{ id: string }>(
    `insert into runs (id, account, sync, seq, spec, kind)
     select ${runIdSql('$1', '$2', 'seq')}, $1, $2, seq, $3, 'campaign'
       from (select coalesce(max(seq), 0) + 1 as seq from runs where account = $1 and sync = $2) next
     returning id`,
    [spec.account, sync, toJson(spec)],
  );
  const { id } = row as { id: string };
  await tx.query(
    `insert into campaigns (run_id, account, campaign, digest, as_of, planned_by, parts)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, spec.account, spec.campaign, digestOfSpec(spec), at, by, toJson({ workflow })],
  );
  return id;
}

async function recordCommand(
  tx: Queryable,
  run: string,
  { by, at }: NewPlan,
  action: string,
  reason: string,
) {
  await tx.query(
    `insert into campaign_audit (run_id, id, at, by, action, reason) values ($1, $2, $3, $4, $2, $5)
     on conflict do nothing`,
    [run, action, at, by, reason],
  );
}
