// `sluice sync …`: run a sync, check it, pause it, resume it, cancel it.

import { WorkflowNotFoundError } from '@temporalio/client';
import type { Command } from 'commander';
import { pauseUpdate, resumeUpdate } from '../../../workflows/messages.ts';
import { crmSyncWorkflowId } from '../../contracts/ids.ts';
import type { RunProgress } from '../../contracts/wire/run.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { runCommand, say } from '../lib/lifetime.ts';
import { operatorName } from '../lib/operator.ts';
import { connectClient, openConfig, type SessionOptions, withSessionOptions } from '../lib/session.ts';
import { registerSchedule } from '../schedule/schedule-commands.ts';
import { attendSync, openForSync } from './attend-sync.ts';
import { describeProgress, failing, type SyncHandle, startSync, troubleOf } from './run-sync.ts';
import { registerSyncPlan } from './sync-plan.ts';
import { readProgress } from './sync-progress.ts';
import { registerSyncRetry } from './sync-retry.ts';
import { registerSyncRows } from './sync-rows.ts';

type Options = SessionOptions & { readonly json: boolean };
type CommandOptions = Options & { readonly reason: string };

export function registerSync(program: Command, env: NodeJS.ProcessEnv): void {
  const sync = program.command('sync').description('run, plan, steer and inspect syncs');

  withSessionOptions(sync.command('run').argument('<name>', 'name of the sync'))
    .description('run a sync to its end; joins the run if it is active')
    .option('--json', 'print the report as JSON', false)
    .action(async (name: string, options: Options) => {
      process.exitCode = await runCommand(async (shutdown) => {
        const { stack, account, client } = await openForSync('run', name, options, env, shutdown);
        const handle = await startSync(client, account, name);
        return await attendSync({
          client,
          handle,
          sync: name,
          label: `sync ${name}`,
          stack,
          shutdown,
          options,
        });
      });
    });

  registerSyncPlan(sync, env);
  registerSyncRows(sync, env);
  registerSyncRetry(sync, env);
  registerSchedule(sync, 'sync', env);

  const steer = (
    verb: string,
    description: string,
    operatorCommand: (handle: SyncHandle, by: { by: string; reason: string }) => Promise<RunProgress | null>,
  ) =>
    withSessionOptions(sync.command(verb).argument('<name>', 'name of the sync'))
      .description(description)
      .option('--reason <text>', 'reason, recorded with the run', '')
      .option('--json', 'print the progress as JSON', false)
      .action(async (name: string, options: CommandOptions) => {
        process.exitCode = await runCommand(async (shutdown) => {
          const { account } = (await openConfig(options.config, env)).spec(name);
          const client = await connectClient(options.state, env, shutdown);
          const handle: SyncHandle = client.workflow.getHandle(crmSyncWorkflowId(account, name));
          try {
            const progress = await operatorCommand(handle, { by: operatorName(), reason: options.reason });
            if (progress !== null)
              process.stdout.write(
                options.json ? `${JSON.stringify(progress)}\n` : `${describeProgress(progress).join('\n')}\n`,
              );
            const repeated = progress === null ? null : troubleOf(progress);
            const trouble = verb === 'status' ? (repeated ?? (await failing(handle))) : null;
            if (trouble !== null) say(trouble);
            return EXIT.ok;
          } catch (error) {
            if (error instanceof WorkflowNotFoundError)
              throw new CliError(EXIT.notFound, `the sync "${name}" is not running`, { cause: error });
            throw error;
          }
        });
      });

  steer('status', 'show the progress of the current or last run', readProgress);
  steer('pause', 'pause; returns when no call is in flight', (handle, by) =>
    handle.executeUpdate(pauseUpdate, { args: [by] }),
  );
  steer('resume', 'resume a paused run', (handle, by) => handle.executeUpdate(resumeUpdate, { args: [by] }));
  steer('cancel', 'cancel the run; completed work is kept', async (handle) => {
    await handle.cancel();
    await handle.result().catch(() => undefined);
    return await readProgress(handle);
  });
}
