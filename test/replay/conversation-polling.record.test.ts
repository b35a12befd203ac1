// Records the histories of a poller, an outbox and a watch of deliveries, which replay.test.ts replays like all others:
//   RECORD_POLLING=<number> npx vitest run --project workflows test/replay/conversation-polling

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { startPollers } from '../../src/app/pollers.ts';
import { deliveryWorkflowId, outboxWorkflowId, pollingIdentity } from '../../src/core/ids.ts';
import { pausePollingUpdate, pollNowUpdate, resumePollingUpdate } from '../../workflows/messages.ts';
import { account } from '../support/environment.ts';
import { acceptanceOf, draft, leadRoute, untilEnded } from '../support/intake-context.ts';
import { HEADER, syncContext } from '../support/sync-context.ts';
import { saveHistory } from '../support/temporal/save-history.ts';
import { until } from '../support/until.ts';

const number = process.env.RECORD_POLLING;
const context = syncContext();
const SCOPES = ['conversations:read', 'messages:read', 'messages:send', 'connections:read'];

describe.runIf(number)('recording', () => {
  it('keeps the histories of news, a pause, a refusal, a message that is followed', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'sluice-record-'));
    const token = (revoked: boolean) => [{ value: 'svc_test_token', scopes: SCOPES, revoked }];
    const poller = { account: 'acme', poller: 'recorded' };
    const environment = {
      csv: HEADER,
      settleSeconds: 1,
      account: account({ tokens: token(false) }),
      sinks: { recorded: { type: 'jsonl', path: join(dir, 'events.jsonl') } },
      announce: [{ sink: 'recorded' }],
      pollers: { recorded: { account: 'acme', from: 'all', interval: { min: '500ms', max: '1s' } } },
    };
    await context.inEnvironment(environment, async (environment) => {
      const { client } = context.temporal;
      const { pollers } = { pollers: { recorded: { account: 'acme' } as never } };
      const inbound = (n: number) =>
        environment.panel.inbound({ number: `1415555${3000 + n}`, body: `hello ${n}`, connectionId: 1 });
      for (let n = 0; n < 8; n++) await inbound(n);
      await startPollers({ client, config: { pollers }, taskQueue: environment.workQueue });
      const handle = client.workflow.getHandle(pollingIdentity(poller).workflowId);
      await handle.executeUpdate(pollNowUpdate);
      const command = { by: 'test', reason: 'recording' };
      await handle.executeUpdate(pausePollingUpdate, { args: [command] });
      await inbound(1);
      await handle.executeUpdate(resumePollingUpdate, { args: [command] });
      await handle.executeUpdate(pollNowUpdate);
      await environment.panel.patch({ tokens: token(true) });
      await until('the poller is blocked', async () => {
        const [row] = await environment.db.query<{ blocked: boolean }>(
          'select block_code is not null as blocked from pollers',
        );
        return row?.blocked === true ? true : null;
      });
      await environment.panel.patch({ tokens: token(false) });
      await handle.executeUpdate(resumePollingUpdate, { args: [command] });
      const route = leadRoute('answers', {}, {});
      const acceptance = acceptanceOf(environment, client);
      await acceptance.accept(route, [
        draft(route, 'a', 'conversation/1', {
          type: 'message',
          to: { conversation: 1 },
          text: 'yes',
          saveOnTicket: true,
        }),
      ]);
      await untilEnded(environment);
      await until('its delivery was checked', async () => {
        const rows = await environment.db.query(`select 1 from deliveries where checked_at is not null`);
        return rows.length > 0 ? true : null;
      });
      const save = (id: string, name: string) =>
        saveHistory(context.temporal, id, join(import.meta.dirname, 'histories', `${name}-${number}.json`));
      await save(handle.workflowId, 'conversation-polling');
      await save(outboxWorkflowId('recorded'), 'outbox-delivery');
      await save(deliveryWorkflowId('acme'), 'delivery-watch');
    });
    await rm(dir, { recursive: true });
  });
});
