// In which time zone the server reads the cron of a schedule.
import { describe, expect, it } from 'vitest';
import { ScheduleConfig } from '../../../src/core/config/schedule.ts';
import { type ScheduledConfig, wantedSchedules } from '../../../src/operator/service/schedules/schedules.ts';

describe('the time zone of a schedule', () => {
  it.each([
    ['its own', 'Asia/Tokyo', 'America/Sao_Paulo', 'Asia/Tokyo'],
    ['that of its account', undefined, 'America/Sao_Paulo', 'America/Sao_Paulo'],
    ['UTC where neither says one', undefined, undefined, 'UTC'],
  ])('is %s', (_, own, account, expected) => {
    const schedule = ScheduleConfig.parse({ cron: '0 6 * * *', timeZone: own });
    const config = {
      accounts: { acme: { timeZone: account } },
      syncs: { leads: { account: 'acme', schedule } },
      campaigns: { winback: { account: 'acme', schedule } },
    } as unknown as ScheduledConfig;
    const zones = wantedSchedules(config).map((wanted) => wanted.schedule.timeZone);
    expect(zones).toEqual([expected, expected]);
  });
});
