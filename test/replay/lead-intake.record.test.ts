// Records a history of the workflow of events, which replay.test.ts replays like all others:
//   RECORD_INTAKE=<name> npx vitest run --project workflows test/replay/lead-intake
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { retrySignal } from '../../workflows/messages.ts';
import { acceptanceOf, draft, lead, leadRoute, untilEnded } from '../support/intake-context.ts';
import { HEADER, syncContext } from '../support/sync-context.ts';
import { saveHistory } from '../support/temporal/save-history.ts';
import { until } from '../support/until.ts';

const name = process.env.RECORD_INTAKE;
const context = syncContext();

describe.runIf(name)('recording', () => {
  it('keeps the history of a burst: leads, tags, two about one person, a lost answer, one that waited for a word', async () => {
    await context.inEnvironment({ csv: HEADER, settleSeconds: 1 }, async (environment) => {
      const route = leadRoute('recorded', { batch: { max: 20, wait: '1s' } });
      const acceptance = acceptanceOf(environment, context.temporal.client);
      const scopes = ['contacts:write', 'cards:write'];
      const token = (revoked: boolean) => ({ tokens: [{ value: 'svc_test_token', scopes, revoked }] });
      const card = { pipeline: 'Sales', stage: 'New', customFields: {} };
      await environment.panel.fault({ method: 'POST', path: '^/v1/cards$', kind: 'reset-after', times: 1 });
      await environment.panel.patch(token(true));
      const number = '14155552001';
      const tags = { type: 'tags' as const, number, key: number, add: ['vip'], remove: [] };
      await acceptance.accept(route, [
        lead(route, 'a', 1, { tags: ['crm'], card }),
        lead(route, 'b', 1, { contact: { number, name: 'Other' } }),
        draft(route, 'c', `person/${number}`, tags),
        lead(route, 'd', 2, { card }),
      ]);
      await until('an event waits', async () => {
        const rows = await environment.db.query('select 1 from events where block_code is not null');
        return rows.length === 1;
      });
      await environment.panel.patch(token(false));
      const [row] = await environment.db.query<{ workflow: string }>(
        'select workflow from events where workflow is not null',
      );
      const handle = context.temporal.client.workflow.getHandle(row?.workflow ?? '');
      await handle.signal(retrySignal);
      await untilEnded(environment);
      await handle.result();
      await saveHistory(
        context.temporal,
        handle.workflowId,
        join(import.meta.dirname, 'histories', `${name}.json`),
      );
    });
  });
});
