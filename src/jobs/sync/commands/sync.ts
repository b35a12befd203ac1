// `sluice sync …`: run a sync, check it, pause it, resume it, cancel it.
import type { Command } from 'commander';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { callCommand } from '../../../cli/lib/route/call-command.ts';
import { registerSchedule } from '../../../cli/lib/schedule/schedule-commands.ts';
import { SYNCS, type SyncProgress } from '../contract/runs.ts';
import { attendSync } from './attend-sync.ts';
import { describeProgress, describeState } from './describe-run.ts';
import { registerSyncLists } from './list.ts';
import { registerSyncPlan } from './plan.ts';
import { registerSyncResolve } from './resolve.ts';
import { registerSyncRetry } from './retry.ts';
import { registerSyncRows } from './rows.ts';

type Options = SessionOptions & { readonly json: boolean };

export function registerSync(program: Command, env: NodeJS.ProcessEnv): void {
  const sync = program.command('sync').description('run, plan, steer and inspect syncs');

  registerSyncLists(sync, env);

  withSessionOptions(sync.command('run').argument('<name>', 'name of the sync'))
    .description('run a sync to its end; joins the run if it is active')
    .option('--json', 'print the report as JSON', false)
    .action((name: string, options: Options) =>
      attendSync({
        sync: name,
        verb: 'run',
        options,
        env,
        begin: (client) => client.call('POST /syncs/{sync}/runs', { sync: name }),
      }),
    );

  registerSyncPlan(sync, env);
  registerSyncRows(sync, env);
  registerSyncRetry(sync, env);
  registerSyncResolve(sync, env);
  registerSchedule(sync, 'sync', env);

  callCommand(sync, env, {
    ...STATUS,
    name: 'status',
    about: 'show the progress of the current or last run',
    route: 'GET /syncs/{sync}/progress',
  });
  callCommand(sync, env, {
    ...STEER,
    name: 'pause',
    about: 'pause; returns when no call is in flight',
    route: 'POST /syncs/{sync}/pause',
  });
  callCommand(sync, env, {
    ...STEER,
    name: 'resume',
    about: 'resume a paused run',
    route: 'POST /syncs/{sync}/resume',
  });
  callCommand(sync, env, {
    ...STEER,
    name: 'cancel',
    about: 'cancel the run; completed work is kept',
    route: 'POST /syncs/{sync}/cancel',
  });
}

/** What the commands share that answer the progress of the run. */
const STATUS = {
  contract: SYNCS,
  arguments: [['sync', '<name>', 'name of the sync']],
  json: 'print the progress as JSON',
  asJson,
  text: (now: SyncProgress) =>
    now.progress === null ? [] : [...describeProgress(now.progress), ...describeState(now)],
  says: ({ sync, state, progress, trouble }: SyncProgress, { options }: { options: { json: boolean } }) => [
    ...(progress === null && !options.json
      ? [`the run of "${sync}" is ${state}; no worker answers yet`]
      : []),
    ...(trouble === null ? [] : [trouble]),
  ],
} as const;
const STEER = {
  ...STATUS,
  fields: { reason: ['--reason <text>', 'reason, recorded with the run'] },
} as const;

/** The progress, with the state of the run. */
function asJson({ account, sync, state, eta, startedAt, progress }: SyncProgress) {
  return { account, sync, state, eta, startedAt, ...(progress ?? { run: null }) };
}
