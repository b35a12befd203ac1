// A test send of a campaign: one trigger for one number through the events, whatever is repeated.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig } from '../../../src/config/load.ts';
import {
  campaignEnvironment,
  flowRuns,
  numberOf,
  winback,
} from '../../support/campaigns/campaign-context.ts';
import type { Environment } from '../../support/environment.ts';
import { untilEnded } from '../../support/intake-context.ts';
import { openTestOperator, type TestOperator } from '../../support/operator/operator.ts';
import { syncContext } from '../../support/sync-context.ts';

const context = syncContext();
const CAMPAIGN = winback({
  defaultCountry: 'BR',
  variables: { nome: 'name' },
  audience: [{ from: 'source', source: 'file', number: 'phone' }],
});
const FIRST = { part: 0, contact: null, row: 1 };

async function withOperator(
  work: (environment: Environment, operator: TestOperator) => Promise<void>,
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-test-send-'));
  await context.inEnvironment(campaignEnvironment(2), async (environment) => {
    const acme = {
      baseUrl: environment.sandbox.baseUrl,
      tokens: ['env:TOKEN'],
      timeZone: 'America/Sao_Paulo',
    };
    const sources = { file: { type: 'csv', path: 'people.csv' } };
    const file = stringify({ version: 1, accounts: { acme }, sources, campaigns: { winback: CAMPAIGN } });
    await writeFile(join(dir, 'sluice.yaml'), file);
    await writeFile(join(dir, 'people.csv'), 'phone,name\n5511987650001,Ana\n');
    const operator = await openTestOperator({
      db: environment.db,
      temporal: context.temporal.client,
      config: await loadConfig(join(dir, 'sluice.yaml'), { env: { TOKEN: 'svc_test_token' } }),
      workQueue: environment.workQueue,
    });
    try {
      await work(environment, operator);
    } finally {
      await operator.close();
    }
  });
  await rm(dir, { recursive: true, force: true });
}

const send = ({ client }: TestOperator, over: object = {}) =>
  client.call('POST /campaign-drafts/test', {
    campaign: 'winback',
    config: CAMPAIGN,
    number: `+${numberOf(1)}`,
    key: 'k1',
    member: FIRST,
    ...over,
  });

it('triggers the flow once for the number, with the values of the person that was chosen', async () => {
  await withOperator(async (environment, operator) => {
    const answers = await Promise.all([send(operator), send(operator)]);
    const [event] = answers.map((answer) => answer.event);
    expect(answers.map((answer) => answer.event)).toEqual([event, event]);
    expect(answers.filter(({ duplicate }) => duplicate)).toHaveLength(1);
    expect(await untilEnded(environment)).toMatchObject([{ id: event, outcome: 'done' }]);
    // Even if the audience has changed since.
    const gone = { ...FIRST, row: 9 };
    expect(await send(operator, { member: gone })).toEqual({ event, duplicate: true });
    await expect(send(operator, { member: gone, key: 'k2' })).rejects.toMatchObject({
      code: 'PREVIEW_CHANGED',
    });

    // Under the same key, another number is another test, and typed values are sent as they are.
    const typed = { number: numberOf(2), config: { ...CAMPAIGN, defaultCountry: 'US' } };
    await send(operator, { ...typed, member: undefined, variables: { nome: 'Eva' } });
    await untilEnded(environment);
    expect(
      (await flowRuns(environment)).map(({ contactId, variables }) => ({ contactId, variables })),
    ).toEqual([
      { contactId: 1, variables: { nome: 'Ana' } },
      { contactId: 2, variables: { nome: 'Eva' } },
    ]);

    // It is no member of a run and counts for no cap.
    const { db } = environment;
    expect(await db.query('select 1 from campaign_touches')).toEqual([]);
    const audit = await db.query<{ details: object }>(
      "select details from operator_audit where action = 'POST /campaign-drafts/test' order by id",
    );
    expect(audit).toHaveLength(5);
    expect(audit[0]?.details).toMatchObject({ campaign: 'winback', member: FIRST, event });
    expect(JSON.stringify(audit)).not.toMatch(/1415555|Ana|Eva/);
  });
});

it('is never repeated when the answer is lost: its outcome is unknown', async () => {
  await withOperator(async (environment, operator) => {
    await environment.panel.fault({ path: '^/v1/flows/trigger$', kind: 'reset-after', times: 1 });
    const { event } = await send(operator);
    expect(await untilEnded(environment)).toMatchObject([
      { id: event, outcome: 'unknown', code: 'FLOW_AMBIGUOUS' },
    ]);
    expect(await send(operator)).toEqual({ event, duplicate: true });
    expect(await flowRuns(environment)).toHaveLength(1);
  });
});
