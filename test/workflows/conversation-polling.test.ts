// The poller's workflow: paused, blocked, polled on request, started twice. It publishes to a file.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPollers } from '../../src/app/pollers.ts';
import { pollingIdentity } from '../../src/core/ids.ts';
import type { ConversationEvent } from '../../src/jobs/conversations/contract/events.ts';
import { describePollers, type StoredPoller } from '../../src/jobs/conversations/store/pollers.ts';
import { pausePollingUpdate, pollNowUpdate, resumePollingUpdate } from '../../workflows/messages.ts';
import { account, type Environment } from '../support/environment.ts';
import { HEADER, syncContext } from '../support/sync-context.ts';
import { until } from '../support/until.ts';

const context = syncContext();
const SCOPES = ['conversations:read', 'messages:read'];
const COMMAND = { by: 'ana', reason: 'back office' };
/** Polled by hand, unless the test wants otherwise. */
const SLOW = { min: '1h', max: '1h' };
const QUICK = { min: '500ms', max: '1s' };

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-polling-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

let file = 0;

/** A test environment with a poller of its own name, whose events go to a file. */
async function inPolledEnvironment(
  options: { readonly name: string; readonly interval?: object; readonly poller?: object },
  work: (polled: Polled) => Promise<void>,
): Promise<void> {
  const path = join(dir, `events-${++file}.jsonl`);
  const { name, interval = SLOW, poller = {} } = options;
  const token = (revoked: boolean) => [{ value: 'svc_test_token', scopes: SCOPES, revoked }];
  const environment = {
    csv: HEADER,
    settleSeconds: 1,
    account: account({ tokens: token(false) }),
    sinks: { [`file-${file}`]: { type: 'jsonl', path } },
    announce: [{ sink: `file-${file}` }],
    pollers: { [name]: { account: 'acme', from: 'all', interval, ...poller } },
  };
  await context.inEnvironment(environment, async (environment) => {
    const { client } = context.temporal;
    const start = () =>
      startPollers({
        client,
        config: { pollers: { [name]: { account: 'acme' } as never } },
        taskQueue: environment.workQueue,
      });
    await work({
      environment,
      start,
      handle: client.workflow.getHandle(pollingIdentity({ account: 'acme', poller: name }).workflowId),
      revoke: (revoked) => environment.panel.patch({ tokens: token(revoked) }),
      async write(n, body) {
        await environment.panel.inbound({ number: `1415555${3000 + n}`, body, connectionId: 1 });
      },
      async published(count) {
        return await until(`${count} messages are published`, async () => {
          const text = await readFile(path, 'utf8').catch(() => '');
          const events = text
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line) as ConversationEvent);
          const messages = events.filter(({ type }) => type === 'message.received');
          return messages.length >= count ? messages : null;
        });
      },
      async status() {
        return (await describePollers(environment.db, [name]))[0] as StoredPoller;
      },
    });
  });
}

interface Polled {
  readonly environment: Environment;
  readonly handle: WorkflowHandle;
  start(): ReturnType<typeof startPollers>;
  revoke(revoked: boolean): Promise<object>;
  write(n: number, body: string): Promise<void>;
  published(count: number): Promise<readonly ConversationEvent[]>;
  status(): Promise<StoredPoller>;
}

describe('a poller', () => {
  it('publishes what customers write, polls at once on request, and runs once however often it is started', async () => {
    await inPolledEnvironment(
      { name: 'once' },
      async ({ environment, handle, start, write, published, status }) => {
        expect(await Promise.all([start(), start()])).toContainEqual([
          { poller: 'once', account: 'acme', started: false },
        ]);
        await write(1, 'hello');
        await handle.executeUpdate(pollNowUpdate);
        const [event] = await published(1);
        expect(event).toMatchObject({
          source: expect.stringMatching(/^\/sluice\/accounts\/acme\/conversations\/\d+$/),
          data: { message: { body: 'hello', fromMe: false } },
        });
        await write(1, 'again');
        await write(2, 'me too');
        await handle.executeUpdate(pollNowUpdate);
        expect(new Set((await published(3)).map(({ id }) => id)).size).toBe(3);
        await environment.requests();
        await handle.executeUpdate(pollNowUpdate);
        expect((await environment.requests()).map(({ path }) => path.split('?')[0])).toEqual([
          '/v1/conversations',
        ]);
        expect(await status()).toMatchObject({ state: 'polling', messages: 3, todo: 0, gaps: 0 });
      },
    );
  });

  it('FAULTS 23: after a pause completes no call is made, even after a restart; after the resume nothing is published twice', async () => {
    await inPolledEnvironment(
      { name: 'paused', interval: QUICK },
      async ({ environment, handle, start, write, published, status }) => {
        await start();
        await write(1, 'before');
        await published(1);
        await handle.executeUpdate(pausePollingUpdate, { args: [COMMAND] });
        await environment.requests();
        await write(1, 'meanwhile');
        await expect(handle.executeUpdate(pollNowUpdate)).rejects.toMatchObject({
          cause: { message: 'the poller is paused' },
        });
        expect(await status()).toMatchObject({ state: 'paused', paused: COMMAND });
        await handle.cancel();
        await handle.result().catch(() => undefined);
        await start();
        expect(await status()).toMatchObject({ state: 'paused' });
        expect(await environment.requests()).toEqual([]);
        await handle.executeUpdate(resumePollingUpdate, { args: [COMMAND] });
        const bodies = (await published(2)).map(({ data }) => ('message' in data ? data.message : null));
        expect(bodies).toMatchObject([{ body: 'before' }, { body: 'meanwhile' }]);
      },
    );
  });

  it('FAULTS 23: a pause reaches a batch in progress, and its work is published once after the resume', async () => {
    await inPolledEnvironment(
      { name: 'stopped', interval: QUICK },
      async ({ environment, handle, start, write, published }) => {
        for (let n = 0; n < 30; n++) await write(n, `hello ${n}`);
        await environment.panel.fault({ method: 'GET', path: '/messages', kind: 'delay', ms: 1500 });
        await start();
        await published(1);
        await handle.executeUpdate(pausePollingUpdate, { args: [COMMAND] });
        const before = (await environment.requests()).length;
        expect(before).toBeLessThan(30);
        await environment.panel.clearFaults();
        // Nothing but the panel's own calls since.
        expect(await environment.requests()).toEqual([]);
        await handle.executeUpdate(resumePollingUpdate, { args: [COMMAND] });
        const events = await published(30);
        expect(new Set(events.map(({ id }) => id)).size).toBe(30);
        expect(events).toHaveLength(30);
      },
    );
  });

  it('FAULTS 12: a revoked token blocks it with the reason; once the token works, a resume continues and nothing is missed', async () => {
    await inPolledEnvironment(
      { name: 'refused' },
      async ({ handle, start, revoke, write, published, status }) => {
        await start();
        await handle.executeUpdate(pollNowUpdate);
        await revoke(true);
        await write(1, 'in between');
        await expect(handle.executeUpdate(pollNowUpdate)).rejects.toMatchObject({
          cause: { type: 'BLOCKED' },
        });
        expect(await status()).toMatchObject({ state: 'blocked', blocked: { code: 'ERR_TOKEN_REVOKED' } });
        await revoke(false);
        await handle.executeUpdate(resumePollingUpdate, { args: [COMMAND] });
        expect(await published(1)).toMatchObject([{ data: { message: { body: 'in between' } } }]);
        await until('it polls', async () => ((await status()).state === 'polling' ? true : null));
      },
    );
  });

  it('a refusal is shown until the call succeeds, also by the next run of the workflow', async () => {
    await inPolledEnvironment({ name: 'again' }, async ({ handle, start, revoke, status }) => {
      await revoke(true);
      await start();
      await until('it is blocked', async () => ((await status())?.state === 'blocked' ? true : null));
      // As when it continues as new: the next run remembers nothing.
      await handle.terminate();
      await start();
      await handle.executeUpdate(pollNowUpdate).catch(() => undefined);
      expect(await status()).toMatchObject({ state: 'blocked' });
      await handle.terminate();
      await revoke(false);
      await start();
      await until('it polls', async () => ((await status()).state === 'polling' ? true : null));
    });
  });

  it('a refusal stays shown while other calls succeed', async () => {
    await inPolledEnvironment(
      { name: 'blind', interval: QUICK },
      async ({ environment, start, write, status }) => {
        await environment.panel.patch({
          tokens: [{ value: 'svc_test_token', scopes: ['conversations:read'] }],
        });
        await write(1, 'from before the start');
        await start();
        const { polls } = await until('it is blocked', async () => {
          // Nothing at all before the poller has begun.
          const now: StoredPoller | undefined = await status();
          return now?.state === 'blocked' ? now : null;
        });
        await until('the list was asked for again', async () =>
          (await status()).polls > polls + 1 ? true : null,
        );
        expect(await status()).toMatchObject({
          state: 'blocked',
          blocked: { code: 'ERR_SCOPE_MISSING' },
          todo: 1,
        });
      },
    );
  });
});
