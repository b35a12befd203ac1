// Checks that a plan makes beside its audience: the pollers of the connection, the scopes of the tokens, the names in
// `after`.

import { durationMs } from '../../src/core/config/base.ts';
import { pick, readCatalog } from '../../src/core/store/catalog.ts';
import type { CampaignSpec } from '../../src/jobs/campaigns/contract/batches.ts';
import type { PlanNote } from '../../src/jobs/campaigns/contract/plan.ts';
import type { PollerState } from '../../src/jobs/campaigns/rules/reliance.ts';
import { glanceAtPollers } from '../../src/jobs/campaigns/store/plan-facts.ts';
import type { PollerConfig } from '../../src/jobs/conversations/config.ts';
import type { AccountAccess, Deps } from '../shared/deps.ts';

/**
 * A poller counts as stopped if it has not polled for this long, or for three of its longest intervals if that is
 * longer.
 */
const QUIET_MS = 10 * 60_000;

/** Returns the state of every poller of the account that was ever started. */
export async function pollerStates(
  deps: Pick<Deps, 'db' | 'poller'>,
  { account, config }: CampaignSpec,
  nowMs: number,
): Promise<PollerState[]> {
  const rows = await glanceAtPollers(deps.db, account);
  return rows.map(
    ({ poller, paused, block_code: code, block_reason: reason, is_shape: isShape, polled_at: polledAt }) => {
      const own = configOf(deps, account, poller);
      const follows = own !== null && [undefined, config.connection].includes(own.connection);
      const quiet = Math.max(QUIET_MS, own === null ? 0 : 3 * durationMs(own.interval.max));
      const stopped = polledAt === null || nowMs - polledAt.getTime() > quiet;
      const idle = paused
        ? 'is paused'
        : code !== null
          ? `is blocked: ${code}`
          : stopped
            ? 'does not run'
            : null;
      // A poller that is no longer configured reads nothing, and other pollers replace it.
      const blocked = own === null || code === null ? null : { code, reason: reason ?? code, isShape };
      return { poller, follows, idle, blocked };
    },
  );
}

function configOf(deps: Pick<Deps, 'poller'>, account: string, poller: string): PollerConfig | null {
  try {
    return deps.poller(account, poller);
  } catch (error) {
    // The poller ran once and is no longer configured.
    if (error instanceof Error) return null;
    throw error;
  }
}

/** Explains why no token can trigger flows; null if at least one token may have the scope. */
export async function tokenRefused(
  deps: Pick<Deps, 'budget'>,
  account: AccountAccess,
): Promise<string | null> {
  const states = await deps.budget.snapshot(account.tokens.map(({ key }) => key));
  const codes = states.map(({ marks }) => marks[''] ?? marks['flows:trigger']);
  if (codes.length === 0 || codes.includes(undefined)) return null;
  const all = [...new Set(codes)].join(', ');
  return `the service refused every token of the account within ten minutes (${all}): flows need the scope flows:trigger`;
}

/** Finds stages and tags in `after` that the account's lists lack. A list that was never read proves nothing. */
export async function missingNames(
  { db }: Pick<Deps, 'db'>,
  { account, config: { after } }: CampaignSpec,
): Promise<PlanNote[]> {
  const missing: PlanNote[] = [];
  const tags = after.tags === undefined ? null : await readCatalog(db, account, 'tags');
  for (const name of after.tags ?? []) {
    if (tags === null || pick(tags, name) !== null) continue;
    const reason = `\`after.tags\` names ${JSON.stringify(name)}, but the account has no such tag; create it in the service`;
    missing.push({ code: 'UNKNOWN_TAG', reason });
  }
  const pipelines = after.stage === undefined ? null : await readCatalog(db, account, 'pipelines');
  if (after.stage === undefined || pipelines === null) return missing;
  const { pipeline, stage } = after.stage;
  const found = pick(pipelines, pipeline);
  if (found === null) {
    const reason = `\`after.stage\` names the pipeline ${JSON.stringify(pipeline)}, but the account has ${listOf(pipelines)}`;
    missing.push({ code: 'UNKNOWN_PIPELINE', reason });
  } else if (pick(found.stages, stage) === null) {
    const reason = `\`after.stage\` names the stage ${JSON.stringify(stage)}, but the pipeline "${found.name}" has ${listOf(found.stages)}`;
    missing.push({ code: 'UNKNOWN_STAGE', reason });
  }
  return missing;
}

function listOf(items: readonly { readonly name: string }[]): string {
  return items.map(({ name }) => JSON.stringify(name)).join(', ') || 'none';
}
