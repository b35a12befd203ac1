// The estimate of running campaigns, which is also that of a campaign's own screen.
import type { CampaignNow } from '../../../jobs/campaigns/contract/campaigns.ts';
import type { RunningRun } from '../../contract/overview.ts';
import type { RunningRow } from '../../store/overview/work.ts';

/** Campaigns that are asked at a refresh. */
const MOST = 20;

export type CampaignEstimate = Pick<RunningRun, 'etaSeconds' | 'waiting'>;

/** Those of these runs that trigger people now, by run. */
export async function readEstimates(
  running: readonly RunningRow[],
  nowOf: (run: string) => Promise<CampaignNow>,
  nowMs: number,
): Promise<ReadonlyMap<string, CampaignEstimate>> {
  const active = running.filter(
    ({ kind, state, paused, blocked }) =>
      kind === 'campaign' && state === 'running' && paused === null && blocked === null,
  );
  const found = await Promise.all(
    active.slice(0, MOST).map(async ({ run }) => [run, estimateOf(await nowOf(run), nowMs)] as const),
  );
  return new Map(found);
}

function estimateOf({ etaAt, progress }: CampaignNow, nowMs: number): CampaignEstimate {
  const { until, why } = progress?.waiting ?? {};
  return {
    etaSeconds: etaAt === null ? null : Math.max(0, Math.round((Date.parse(etaAt) - nowMs) / 1000)),
    waiting: until === undefined || why === undefined ? null : { until, why },
  };
}
