// What a plan looks up beside its audience: who follows the connection, what the tokens may, which names there are.
import type { PollerState } from '../../src/campaigns/reliance.ts';
import type { PollerConfig } from '../../src/contracts/config/config.ts';
import { durationMs } from '../../src/contracts/config/config-base.ts';
import type { CampaignSpec, PlanNote } from '../../src/contracts/wire/campaign.ts';
import { glanceAtPollers } from '../../src/ledger/campaigns/campaign-plan-facts.ts';
import { pick, readCatalog } from '../../src/ledger/sync/catalog.ts';
import type { AccountAccess, Deps } from '../shared/deps.ts';

/** A poller that has not polled for so long, or for three of its longest intervals, has stopped. */
const QUIET_MS = 10 * 60_000;

/** The pollers of the account that were ever started. */
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
      // One that has gone from the configuration reads nothing, and is replaced by others.
      const blocked = own === null || code === null ? null : { code, reason: reason ?? code, isShape };
      return { poller, follows, idle, blocked };
    },
  );
}

function configOf(deps: Pick<Deps, 'poller'>, account: string, poller: string): PollerConfig | null {
  try {
    return deps.poller(account, poller);
  } catch (error) {
    // It ran once, and has gone from the configuration.
    if (error instanceof Error) return null;
    throw error;
  }
}

/** Null while at least one token is not known to lack the right. */
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

/** Places and tags that `after` names, and that the account's lists lack. A list that nobody has read tells nothing. */
export async function missingNames(
  { db }: Pick<Deps, 'db'>,
  { account, config: { after } }: CampaignSpec,
): Promise<PlanNote[]> {
  const missing: PlanNote[] = [];
  const tags = after.tags === undefined ? null : await readCatalog(db, account, 'tags');
  for (const name of after.tags ?? []) {
    if (tags === null || pick(tags, name) !== null) continue;
    const reason = `\`after.tags\` has ${JSON.stringify(name)}, which the account has not: create it in the service`;
    missing.push({ code: 'UNKNOWN_TAG', reason });
  }
  const pipelines = after.stage === undefined ? null : await readCatalog(db, account, 'pipelines');
  if (after.stage === undefined || pipelines === null) return missing;
  const { pipeline, stage } = after.stage;
  const found = pick(pipelines, pipeline);
  if (found === null) {
    const reason = `\`after.stage\` has the pipeline ${JSON.stringify(pipeline)}; the account has ${listOf(pipelines)}`;
    missing.push({ code: 'UNKNOWN_PIPELINE', reason });
  } else if (pick(found.stages, stage) === null) {
    const reason = `\`after.stage\` has the stage ${JSON.stringify(stage)}; the pipeline "${found.name}" has ${listOf(found.stages)}`;
    missing.push({ code: 'UNKNOWN_STAGE', reason });
  }
  return missing;
}

function listOf(items: readonly { readonly name: string }[]): string {
  return items.map(({ name }) => JSON.stringify(name)).join(', ') || 'none';
}
