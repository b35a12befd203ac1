// Schedules on a real Temporal server while the key of their inputs is rotated.
import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScheduleConfig } from '../../../src/core/config/schedule.ts';
import { type EncryptionKey, readEncryptionKey } from '../../../src/core/encryption/payload-keys.ts';
import { syncScheduleId } from '../../../src/core/ids.ts';
import { listSchedules } from '../../../src/operator/service/schedules/list.ts';
import { applySchedules } from '../../../src/operator/service/schedules/schedules.ts';
import { createEncryptionCodec } from '../../../src/protect/codec/encryption-codec.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/temporal/search-attributes.ts';
import { connectTestTemporal, type TestTemporal } from '../../support/temporal/temporal.ts';

const keyOf = (id: string) => readEncryptionKey(id, randomBytes(32).toString('base64'));
const OLD = keyOf('old');
const NEW = keyOf('new');

const schedule = ScheduleConfig.parse({ cron: '0 0 29 2 *' });
const config = {
  accounts: { acme: {} },
  syncs: { leads: { account: 'acme', schedule } },
  campaigns: {},
} as never;

let temporal: TestTemporal;
beforeAll(async () => {
  temporal = await connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES });
});
afterAll(() => temporal?.close());

const clientWith = (...keys: EncryptionKey[]) => {
  const [first, ...others] = keys;
  const payloadCodecs = first === undefined ? [] : [createEncryptionCodec([first, ...others])];
  const { connection, namespace } = temporal;
  return new Client({ connection, namespace, dataConverter: { payloadCodecs } });
};
const apply = async (client: Client) => (await applySchedules({ client, config }))[0]?.change;
const stateOf = async (client: Client) => (await listSchedules(client, config, 'sync'))[0]?.state;

it('a schedule takes the first key when it is applied, so that the key before it may go', async () => {
  expect(await apply(clientWith())).toBe('create');
  expect(await apply(clientWith(OLD))).toBe('update');
  expect(await apply(clientWith(OLD, NEW))).toBe('none');
  const handle = clientWith(OLD).schedule.getHandle(syncScheduleId('acme', 'leads'));
  await handle.pause('by an operator');

  const both = clientWith(NEW, OLD);
  expect(await stateOf(both)).toBe('differs');
  expect(await apply(both)).toBe('update');
  expect(await apply(both)).toBe('none');

  const found = await clientWith(NEW).schedule.getHandle(handle.scheduleId).describe();
  expect(found.action.args).toMatchObject([{ account: 'acme', sync: 'leads' }]);
  expect(found.state).toMatchObject({ paused: true, note: 'by an operator' });
  expect(await stateOf(clientWith(NEW))).toBe('in-step');
});
