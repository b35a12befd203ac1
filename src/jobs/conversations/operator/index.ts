// Pollers as operators see and steer them.
import {
  type OperatorCommand,
  pausePollingUpdate,
  pollNowUpdate,
  resumePollingUpdate,
} from '../../../../workflows/messages.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { beforeId } from '../../../operator/service/page.ts';
import { hasWorkers } from '../../../operator/service/workflows.ts';
import type { PollerName } from '../contract/poll.ts';
import type { POLLERS } from '../contract/pollers.ts';
import { describePollers, listGaps } from '../store/pollers.ts';
import { commandPoller, startPoller, stopPoller } from './command.ts';
import { findPollers, knownNames, matchingPollers, resolvePoller } from './find.ts';

export function pollerHandlers(deps: OperatorDeps): Handlers<keyof typeof POLLERS> {
  const { db } = deps;
  const resolve = (name: string) => resolvePoller(() => deps.config().config.pollers, name);

  async function imported({ account, poller }: PollerName): Promise<number> {
    const found = await describePollers(db, [poller]);
    return found.find((one) => one.account === account)?.messages ?? 0;
  }

  return {
    'GET /pollers': async ({ names }) => ({ pollers: await findPollers(deps, names) }),

    'GET /gaps': async ({ names, limit, before }) => {
      const pollers = names === undefined ? null : await matchingPollers(deps, names);
      return await listGaps(db, { pollers, limit, before: beforeId(before) });
    },

    'POST /pollers/start': async ({ names: given }, { identity }) => {
      const names = knownNames(deps.config(), given);
      const client = await deps.temporal();
      const pollers = [];
      for (const name of names) {
        const poller = resolve(name);
        pollers.push({ ...poller, started: await startPoller(client, poller, deps.workQueue) });
      }
      deps.log.info({ by: identity, pollers: names }, 'an operator starts pollers');
      return { pollers, workers: await hasWorkers({ db: deps.db, client, taskQueue: deps.workQueue }) };
    },

    'POST /pollers/{poller}/stop': async ({ poller: name, reason }, { identity: by }) => {
      const poller = resolve(name);
      await stopPoller(await deps.temporal(), poller, { by, reason });
      return { ...poller, stopped: true };
    },

    'POST /pollers/{poller}/pause': async ({ poller: name, reason }, { identity: by }) => {
      const poller = resolve(name);
      const command: OperatorCommand = { by, reason };
      await commandPoller(await deps.temporal(), poller, (handle) =>
        handle.startUpdate(pausePollingUpdate, { args: [command], waitForStage: 'ACCEPTED' }),
      );
      return { ...poller, paused: true };
    },

    'POST /pollers/{poller}/resume': async ({ poller: name, reason }, { identity: by }) => {
      const poller = resolve(name);
      const command: OperatorCommand = { by, reason };
      await commandPoller(await deps.temporal(), poller, (handle) =>
        handle.startUpdate(resumePollingUpdate, { args: [command], waitForStage: 'ACCEPTED' }),
      );
      return { ...poller, paused: false };
    },

    'POST /pollers/{poller}/now': async ({ poller: name }) => {
      const poller = resolve(name);
      const before = await imported(poller);
      await commandPoller(await deps.temporal(), poller, (handle) =>
        handle.startUpdate(pollNowUpdate, { waitForStage: 'ACCEPTED' }),
      );
      return { ...poller, messages: (await imported(poller)) - before };
    },
  };
}
