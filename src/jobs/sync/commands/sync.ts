// `sluice sync …`: run a sync, check it, pause it, resume it, cancel it.
import type { Command } from 'commander';
import { withOperator } from '../../../cli/lib/connect/connect.ts';
import { say } from '../../../cli/lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../../../cli/lib/connect/session.ts';
import { EXIT } from '../../../cli/lib/exit.ts';
import { registerSchedule } from '../../../cli/schedule/schedule-commands.ts';
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { SyncProgress } from '../contract/runs.ts';
import { attendSync } from './attend-sync.ts';
import { describeProgress, describeState } from './describe-run.ts';
import { registerSyncLists } from './list.ts';
import { registerSyncPlan } from './plan.ts';
import { registerSyncResolve } from './resolve.ts';
import { registerSyncRetry } from './retry.ts';
import { registerSyncRows } from './rows.ts';

type Options = SessionOptions & { readonly json: boolean };
type CommandOptions = Options & { readonly reason: string };

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

  const show = (
    verb: string,
    description: string,
    ask: (client: OperatorClient, name: string, reason: string) => Promise<SyncProgress>,
  ) => {
    const command = withSessionOptions(sync.command(verb).argument('<name>', 'name of the sync'))
      .description(description)
      .option('--json', 'print the progress as JSON', false);
    if (verb !== 'status') command.option('--reason <text>', 'reason, recorded with the run', '');
    command.action((name: string, options: CommandOptions) =>
      withOperator(options, env, { command: `sluice sync ${verb} ${name}` }, async (client) => {
        const now = await ask(client, name, options.reason ?? '');
        if (options.json) process.stdout.write(`${JSON.stringify(asJson(now))}\n`);
        else if (now.progress === null) say(`the run of "${name}" is ${now.state}; no worker answers yet`);
        else
          process.stdout.write(`${[...describeProgress(now.progress), ...describeState(now)].join('\n')}\n`);
        if (now.trouble !== null) say(now.trouble);
        return EXIT.ok;
      }),
    );
  };

  show('status', 'show the progress of the current or last run', (client, name) =>
    client.call('GET /syncs/{sync}/progress', { sync: name }),
  );
  show('pause', 'pause; returns when no call is in flight', (client, name, reason) =>
    client.call('POST /syncs/{sync}/pause', { sync: name, reason }),
  );
  show('resume', 'resume a paused run', (client, name, reason) =>
    client.call('POST /syncs/{sync}/resume', { sync: name, reason }),
  );
  show('cancel', 'cancel the run; completed work is kept', (client, name, reason) =>
    client.call('POST /syncs/{sync}/cancel', { sync: name, reason }),
  );
}

/** The progress, with the state of the run. */
function asJson({ account, sync, state, eta, startedAt, progress }: SyncProgress) {
  return { account, sync, state, eta, startedAt, ...(progress ?? { run: null }) };
}
