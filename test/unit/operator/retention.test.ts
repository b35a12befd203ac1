// What operators see of retention: every kind with its key, and what the last pass deleted.
import { expect, it } from 'vitest';
import { Config } from '../../../src/config/schema/config.ts';
import { RetentionConfig } from '../../../src/config/schema/retention.ts';
import { SETTINGS } from '../../../src/operator/contract/settings.ts';
import type { OperatorDeps } from '../../../src/operator/service/deps.ts';
import { settingsHandlers } from '../../../src/operator/service/settings.ts';
import { testLedger } from '../../support/postgres/ledger.ts';

it('every key of retention is the time of a kind, and only events have a key of another part', async () => {
  const config = { config: Config.parse({ version: 1, accounts: {} }) };
  const deps = { db: await testLedger(), config: () => config } as unknown as OperatorDeps;
  const caller = { identity: 'user:ana', name: 'ana', role: 'viewer', via: 'session' } as const;
  const { kinds } = SETTINGS['GET /retention'].output.parse(
    await settingsHandlers(deps)['GET /retention']({}, caller),
  );
  const keys = Object.keys(RetentionConfig.shape).map((key) => `retention.${key}`);
  expect(kinds.map(({ setting }) => setting).sort()).toEqual([...keys, 'ingress.remember'].sort());
  expect(kinds.find(({ kind }) => kind === 'events')).toMatchObject({
    setting: 'ingress.remember',
    keeps: '90d',
  });
  expect(kinds.find(({ kind }) => kind === 'audit')).toMatchObject({
    keeps: '1095d',
    endedAt: null,
    deleted: 0,
  });
  for (const { tables } of kinds) expect(tables.length).toBeGreaterThan(0);
});
