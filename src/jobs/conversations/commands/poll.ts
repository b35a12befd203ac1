// `sluice poll …`: start, inspect, pause, resume, wake and stop pollers.
import type { Command } from 'commander';
import { CliError, EXIT, exitCodeOfBlock } from '../../../cli/lib/exit.ts';
import { callCommand } from '../../../cli/lib/route/call-command.ts';
import { listCommand } from '../../../cli/lib/route/list-command.ts';
import { formatMany } from '../../../cli/lib/terminal/format.ts';
import { OperatorError } from '../../../operator/error.ts';
import { POLLERS } from '../contract/pollers.ts';
import { describePollers, gapColumns } from './describe-poller.ts';

const contract = POLLERS;
const NAMES = ['names', '[names...]', 'names of pollers'] as const;
/** What the commands on one poller share. */
const ONE = {
  contract,
  arguments: [['poller', '<name>', 'name of the poller, or account/name']],
  json: 'print the result as JSON',
  refused,
} as const;
const STEER = {
  ...ONE,
  fields: { reason: ['--reason <text>', 'reason, recorded with the poller'] },
} as const;

export function registerPoll(program: Command, env: NodeJS.ProcessEnv): void {
  const poll = program
    .command('poll')
    .description('start, steer and inspect pollers, which publish the conversations of accounts');

  callCommand(poll, env, {
    name: 'start',
    about: 'start the given pollers, or all of the configuration; active pollers are left alone',
    contract,
    route: 'POST /pollers/start',
    arguments: [NAMES],
    connecting: { configured: true },
    json: 'print one JSON object per line',
    asJson: ({ pollers }) => pollers,
    text: ({ pollers }) =>
      pollers.map(
        ({ poller, account, started }) =>
          `${poller} (account ${account}): ${started ? 'started' : 'runs already'}`,
      ),
    says: ({ workers }, { where }) => {
      if (where === 'here') return 'no service runs: they poll when you start `sluice dev`';
      return workers ? [] : 'no worker runs yet: they wait until one is started (`sluice worker`)';
    },
  });

  listCommand(poll, env, {
    name: 'status',
    about: 'show the state, the lag, the calls and the problems of pollers',
    contract,
    route: 'GET /pollers',
    arguments: [NAMES],
    items: 'pollers',
    shown: (pollers) => (pollers.length === 0 ? [] : describePollers(pollers)),
    limit: null,
    none: 'the configuration has no pollers, and none has ever run',
    exitCode({ pollers }) {
      const blocked = pollers.find(({ state }) => state === 'blocked')?.blocked ?? null;
      return blocked === null ? EXIT.ok : exitCodeOfBlock(blocked.code);
    },
  });

  listCommand(poll, env, {
    name: 'gaps',
    about: 'list periods and conversations with possibly missing messages, newest first',
    contract,
    route: 'GET /gaps',
    arguments: [NAMES],
    items: 'gaps',
    shown: gapColumns(),
    limit: { usual: 100, most: 5000 },
    one: 'gap',
  });

  callCommand(poll, env, {
    ...STEER,
    name: 'stop',
    about: 'stop a poller; a later start continues where it stopped',
    route: 'POST /pollers/{poller}/stop',
    text: ({ poller }) => `${poller} has stopped; continue with \`sluice poll start ${poller}\``,
  });

  callCommand(poll, env, {
    ...STEER,
    name: 'pause',
    about: 'pause; returns when no call is in flight',
    route: 'POST /pollers/{poller}/pause',
    text: ({ poller }) => `${poller} is paused; continue with \`sluice poll resume ${poller}\``,
  });

  callCommand(poll, env, {
    ...STEER,
    name: 'resume',
    about: 'resume a poller and retry blocked work at once',
    route: 'POST /pollers/{poller}/resume',
    text: ({ poller }) => `${poller} continues`,
  });

  callCommand(poll, env, {
    ...ONE,
    name: 'now',
    about: 'poll now; returns when all news is imported',
    route: 'POST /pollers/{poller}/now',
    text: ({ poller, messages }) =>
      `${poller} was polled: ${messages === 0 ? 'nothing new' : formatMany(messages, 'new message')}`,
  });
}

/** A refusal of the service ends with the exit code that its code has in every command. */
function refused(error: unknown): never {
  if (error instanceof OperatorError && error.code?.startsWith('ERR_') === true)
    throw new CliError(exitCodeOfBlock(error.code), error.message, { cause: error });
  throw error;
}
