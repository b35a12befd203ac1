// The syncs of the configuration, with what the ledger and the Temporal server know about each.

import type { Client } from '@temporalio/client';
import { SEARCH_KEYS, syncScheduleId } from '../../../core/ids.ts';
import { pageOf } from '../../../core/page.ts';
import type { Output, Parsed } from '../../../operator/contract/index.ts';
import type { OperatorDeps } from '../../../operator/service/deps.ts';
import { isWorkerMissing } from '../../../operator/service/workflows.ts';
import type { SyncEntry } from '../contract/runs.ts';
import { listRuns } from '../store/run-list.ts';
import { isUploadedFile } from './first-sync.ts';
import { handleOf, type SyncName } from './progress.ts';
import type { Summaries } from './summary.ts';

export async function listSyncs(
  deps: OperatorDeps,
  summaries: Summaries,
  { account, limit, after }: Parsed<'GET /syncs'>,
): Promise<Output<'GET /syncs'>> {
  const { syncs } = deps.config().config;
  const names = Object.entries(syncs)
    .filter(([name, sync]) => (account === undefined || sync.account === account) && name > (after ?? ''))
    .map(([name]) => name)
    .sort();
  const { page, next } = pageOf(names, limit, (name) => name);
  const client = await deps.runningTemporal();
  const isMissing =
    client !== null && (await isWorkerMissing({ db: deps.db, client, taskQueue: deps.workQueue }));
  return {
    syncs: await Promise.all(page.map((sync) => entryOf(deps, summaries, { client, isMissing }, sync))),
    next,
  };
}

async function entryOf(
  { db, config }: OperatorDeps,
  summaries: Summaries,
  { client, isMissing }: { readonly client: Client | null; readonly isMissing: boolean },
  sync: string,
): Promise<SyncEntry> {
  const whole = config();
  const loaded = whole.config;
  const options = loaded.syncs[sync] as (typeof loaded.syncs)[string];
  const name = { account: options.account, sync };
  const [[newest], live, schedule] = await Promise.all([
    listRuns(db, name, { limit: 1, before: null }),
    client === null ? null : liveState(client, name),
    scheduleOf(client, name, options.schedule, loaded.accounts[options.account]?.timeZone),
  ]);
  const open = newest !== undefined && newest.finished_at === null;
  return {
    sync,
    account: options.account,
    source: {
      name: options.source,
      type: loaded.sources[options.source]?.type ?? '',
      uploaded: isUploadedFile(whole, options.source),
    },
    mapping: options.mapping,
    mode: options.mode,
    lane: options.lane,
    state:
      live === 'running' && isMissing
        ? 'waiting'
        : (live ?? (open ? (client === null ? 'unknown' : 'interrupted') : 'idle')),
    last: newest === undefined ? null : await summaries.summaryOf(newest),
    schedule,
  };
}

/** Null when no workflow of the sync runs. */
export async function liveState(client: Client, name: SyncName): Promise<'running' | 'paused' | null> {
  const found = await handleOf(client, name)
    .describe()
    .catch(() => null);
  if (found?.status.name !== 'RUNNING') return null;
  return found.typedSearchAttributes.get(SEARCH_KEYS.phase) === 'paused' ? 'paused' : 'running';
}

type Configured = NonNullable<Parameters<typeof cronOf>[0]>;

async function scheduleOf(
  client: Client | null,
  { account, sync }: SyncName,
  configured: Configured | undefined,
  accountZone: string | undefined,
): Promise<SyncEntry['schedule']> {
  if (configured === undefined) return null;
  const found =
    client === null
      ? null
      : await client.schedule
          .getHandle(syncScheduleId(account, sync))
          .describe()
          .catch(() => null);
  const next = found?.info.nextActionTimes[0];
  return {
    cron: cronOf(configured),
    timeZone: configured.timeZone ?? accountZone ?? 'UTC',
    paused: found?.state.paused ?? null,
    next: next === undefined || found?.state.paused === true ? null : next.toISOString(),
  };
}

function cronOf({
  cron,
}: {
  readonly cron: string | readonly string[];
  readonly timeZone?: string | undefined;
}) {
  return typeof cron === 'string' ? [cron] : [...cron];
}
