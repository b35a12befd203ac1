// Syncs as operators see and steer them.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { pauseUpdate, resumeUpdate } from '../../../../workflows/messages.ts';
import { phoneCase } from '../../../mapping/phone/cases.ts';
import type { Parsed } from '../../../operator/contract/index.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Caller } from '../../../operator/service/caller.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { isWorkerMissing } from '../../../operator/service/workflows.ts';
import { SyncConfig } from '../config.ts';
import { LAST_RUN } from '../contract/retry.ts';
import type { SYNCS, SyncProgress } from '../contract/runs.ts';
import { findRun } from '../store/outcomes.ts';
import { findListedRun, findOpenRun, type ListedRun, listRuns } from '../store/run-list.ts';
import { beginAlone, beginSync } from './begin.ts';
import { conflictCase, reasonWithLines, rowsInReason } from './conflict-lines.ts';
import { laneOrders } from './lane-order.ts';
import { listSyncs } from './list.ts';
import { createProgressReader, handleOf, type SyncHandle, type SyncName } from './progress.ts';
import { resolveRows } from './resolve.ts';
import { createRowLines, sheetLines } from './row-lines.ts';
import { listRows } from './rows.ts';
import { createSummaries } from './summary.ts';
import { listMaskedWarnings } from './warnings.ts';

export function syncHandlers(deps: OperatorDeps): Handlers<keyof typeof SYNCS> {
  const { db } = deps;
  const summaries = createSummaries(db);
  const progress = createProgressReader(db, summaries);
  const findLines = createRowLines(deps.tools.corrections);

  const nameOf = (sync: string): SyncName => ({ account: deps.config().spec(sync).account, sync });

  /** Before anything starts, a token that is missing is named. */
  async function startable(sync: string): Promise<SyncName> {
    const name = nameOf(sync);
    const config = deps.config();
    for (const token of config.config.accounts[name.account]?.tokens ?? []) await config.secret(token);
    return name;
  }

  /** A command for the active run. Temporal starts only if the ledger has a run that has not ended. */
  async function steer(
    { sync, reason }: Parsed<'POST /syncs/{sync}/pause'>,
    caller: Caller,
    command: (handle: SyncHandle, by: { by: string; reason: string }, client: Client) => Promise<unknown>,
  ): Promise<SyncProgress> {
    const name = nameOf(sync);
    const client = (await deps.runningTemporal()) ?? ((await isOpen(name)) ? await deps.temporal() : null);
    if (client === null) throw notRunning(sync);
    try {
      await command(handleOf(client, name), { by: caller.identity, reason }, client);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw notRunning(sync, error);
      throw error;
    }
    return await progress.read(client, name, { waitMs: 0 });
  }

  async function isOpen(name: SyncName): Promise<boolean> {
    const [newest] = await listRuns(db, name, { limit: 1, before: null });
    return newest !== undefined && newest.finished_at === null;
  }

  async function requireRun(name: SyncName, id: string): Promise<ListedRun> {
    const run = await findListedRun(db, name, id);
    if (run !== null) return run;
    throw new OperatorError('notFound', `the sync "${name.sync}" has no run ${id}`, { code: 'NO_RUN' });
  }

  async function linesOf({ account, sync, id }: ListedRun, rows: readonly number[], by: string) {
    const run = rows.length === 0 ? null : await findRun(db, account, sync, id);
    return run === null ? {} : sheetLines(await findLines(run, rows, by), rows);
  }

  return {
    'GET /syncs': (input) => listSyncs(deps, summaries, input),
    'GET /syncs/{sync}/runs': async ({ sync, limit, before }) => {
      const runs = await listRuns(db, nameOf(sync), { limit, before: numberOf(before) });
      const last = runs.at(-1);
      return {
        runs: await Promise.all(runs.map(summaries.summaryOf)),
        next: last === undefined || runs.length < limit || last.seq === 1 ? null : String(last.seq),
      };
    },
    'GET /syncs/{sync}/runs/{run}': async ({ sync, run: id }, { identity }) => {
      const run = await requireRun(nameOf(sync), id);
      const report = await summaries.reportOf(run);
      const { warnings, problems } = report;
      const lines = await linesOf(
        run,
        [...warnings, ...problems, ...report.totals].flatMap(rowsInReason),
        identity,
      );
      const totals = report.totals.map((each) => {
        const total = reasonWithLines(each, lines);
        return { ...total, params: conflictCase(total) ?? phoneCase(total.reason) };
      });
      const lined = {
        warnings: warnings.map((each) => reasonWithLines(each, lines)),
        problems: problems.map((each) => reasonWithLines(each, lines)),
      };
      return { summary: await summaries.summaryOf(run), report: { ...report, ...lined, totals } };
    },
    'GET /syncs/{sync}/progress': async ({ sync, execution, waitMs }) =>
      await progress.read(await deps.runningTemporal(), nameOf(sync), { execution, waitMs }),
    'GET /syncs/{sync}/rows': async (input, { identity }) =>
      await listRows(db, nameOf(input.sync).account, input, (run, rows) => findLines(run, rows, identity)),
    'GET /syncs/{sync}/warnings': async ({ sync, run: id, limit, after }, { identity }) => {
      const run = await requireRun(nameOf(sync), id);
      const offset = numberOf(after) ?? 0;
      const listed = await listMaskedWarnings(db, run.id, { limit, offset });
      const rows = listed.flatMap((each) => [...each.firstRows, ...rowsInReason(each)]);
      const lines = await linesOf(run, rows, identity);
      const warnings = listed.map((each) => {
        const warning = reasonWithLines(each, lines);
        return { ...warning, params: conflictCase(warning) };
      });
      return { warnings, lines, next: warnings.length < limit ? null : String(offset + limit) };
    },
    'POST /syncs/{sync}/runs': async ({ sync }, caller) => {
      const name = await startable(sync);
      return await beginSync({ db, client: await deps.temporal() }, name, {
        by: caller.identity,
        taskQueue: deps.workQueue,
      });
    },
    'POST /syncs/{sync}/retries': async ({ sync, run, statuses, codes = null, rows }) => {
      const name = await startable(sync);
      const retry = { from: run ?? LAST_RUN, statuses, codes, rows };
      return await beginAlone({ db, client: await deps.temporal() }, name, {
        retry,
        taskQueue: deps.workQueue,
      });
    },
    'POST /syncs/{sync}/resolve': (input) =>
      resolveRows({ db, summaries }, nameOf(input.sync).account, input),
    'GET /syncs/{sync}/lanes': async ({ sync }) => ({
      lanes: laneOrders(deps.config().config, nameOf(sync), SyncConfig.shape.lane.unwrap().options),
    }),
    'PUT /syncs/{sync}/lane': async ({ sync, lane }, { identity }) => {
      const name = nameOf(sync);
      const set = await deps.tools.expensive.run(identity, () => deps.tools.setSyncLane(sync, lane));
      return { ...set, running: await findOpenRun(db, name) };
    },
    'POST /syncs/{sync}/pause': (input, caller) =>
      steer(input, caller, (handle, by) => handle.executeUpdate(pauseUpdate, { args: [by] })),
    'POST /syncs/{sync}/resume': (input, caller) =>
      steer(input, caller, (handle, by) => handle.executeUpdate(resumeUpdate, { args: [by] })),
    'POST /syncs/{sync}/cancel': (input, caller) =>
      steer(input, caller, async (handle, { by }, client) => {
        const { status, taskQueue } = await handle.describe();
        if (status.name !== 'RUNNING') throw notRunning(input.sync);
        await handle.cancel();
        if (!(await isWorkerMissing({ db, client, taskQueue }))) await handle.result().catch(() => undefined);
        // What a worker has begun ends when one starts. What none has begun leaves nothing behind.
        else if (!(await isOpen(nameOf(input.sync))))
          await handle.terminate(`canceled by ${by} before a worker began it`);
      }),
  };
}

function notRunning(sync: string, cause?: unknown): OperatorError {
  return new OperatorError('notFound', `the sync "${sync}" is not running`, { code: 'NOT_RUNNING', cause });
}

/** @throws OperatorError when a cursor is not one of these lists */
function numberOf(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new OperatorError('invalid', 'the cursor is not one of this list; begin again without it', {
    code: 'CURSOR',
  });
}
