// The key `schedule` of a sync: what is taken, and what is said of what is not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationMs } from '../../../src/core/config/base.ts';
import { cronProblem, ScheduleConfig } from '../../../src/core/config/schedule.ts';

const parse = (value: unknown) => ScheduleConfig.safeParse(value);
const said = (value: unknown) => {
  const messages: string[] = [];
  const collect = (issues: readonly { message: string; errors?: readonly (readonly object[])[] }[]) => {
    for (const issue of issues) {
      messages.push(issue.message);
      for (const branch of issue.errors ?? []) collect(branch as never);
    }
  };
  const parsed = parse(value);
  if (!parsed.success) collect(parsed.error.issues as never);
  return messages.join('\n');
};

describe('schedule', () => {
  it('needs a cron only; overlap and catching up have defaults, the time zone is that of the account', () => {
    expect(ScheduleConfig.parse({ cron: '0 6 * * 1-5' })).toEqual({
      cron: '0 6 * * 1-5',
      overlap: 'skip',
      catchUpWindow: '1h',
      paused: false,
    });
  });

  it.each([
    '* * * * *',
    '0 6 * * 1-5',
    '*/15 8-18 * * mon-fri',
    '0,30 0 1,15 * *',
    '0 0 1 JAN *',
    '5-55/10 * * * *',
    '0 6 * * 7',
    '  0   6 * *  * ',
    '0/20 * * * *',
    '@daily',
    '@hourly',
    '0 6 29 2 *',
    '0 6 31 */2 *',
    '0 6 28-31 feb *',
    '0 6 30,1 2 *',
  ])('takes the cron %j', (cron) => expect(cronProblem(cron)).toBeNull());

  it.each([
    ['', 'nothing and needs five fields'],
    ['0 6 * *', '4 fields and needs five'],
    ['0 0 6 * * 1', '6 fields and needs five'],
    ['60 * * * *', 'the minute "60" is out of bounds; write 0 to 59'],
    ['0 24 * * *', 'the hour "24"'],
    ['0 0 0 * *', 'the day of month "0"'],
    ['0 0 32 * *', 'the day of month "32"'],
    ['0 0 * 13 *', 'write 1 to 12 or jan to dec'],
    ['0 0 * * 8', 'write 0 to 7 or sun to sat'],
    ['0 0 * * fry', 'the day of week "fry"'],
    ['0 0 * * ?', 'the day of week "?" can\'t be read'],
    ['0 0 L * *', 'the day of month "L"'],
    ['0 0 * * 1#2', "can't be read"],
    ['5-1 * * * *', 'runs backwards'],
    ['0 6 30 2 *', 'never comes: none of these months has a day 30'],
    ['0 6 31 4,6,sep,nov *', 'never comes'],
    ['0 6 30-31 feb *', 'never comes'],
    ['*/0 * * * *', 'step 0'],
    ['1//2 * * * *', "can't be read"],
    [', * * * *', "can't be read"],
    ['-5 * * * *', "can't be read"],
    ['99999999999 * * * *', 'out of bounds'],
    ['@reboot', 'write @hourly'],
    ['@every 5m', 'write @hourly'],
    ['TZ=UTC 0 6 * * *', 'timeZone'],
    ['CRON_TZ=America/Sao_Paulo 0 6 * * *', 'timeZone'],
    ['\u0660 6 * * *', "can't be read"],
  ])('refuses the cron %j and says why', (cron, why) => {
    expect(cronProblem(cron)).toContain(why);
    expect(said({ cron })).toContain(why);
    expect(said({ cron: ['0 6 * * *', cron] })).toContain(why);
  });

  it('answers any text, and quickly', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => typeof (cronProblem(text) ?? '') === 'string'),
    );
    expect(cronProblem(`${'1,'.repeat(100_000)} * * * *`)).not.toBeNull();
  });

  it.each(['UTC', 'America/Sao_Paulo', 'Asia/Kolkata', 'Asia/Calcutta', 'Etc/GMT+3'])(
    'takes the time zone %s',
    (timeZone) => expect(parse({ cron: '@daily', timeZone }).success).toBe(true),
  );

  it.each([
    ['Sao_Paulo', 'is no time zone'],
    ['GMT-3', 'is no time zone'],
    ['-03:00', 'is no time zone'],
    ['', 'is no time zone'],
    ['america/sao_paulo', 'is spelled "America/Sao_Paulo"'],
    ['utc', 'is spelled "UTC"'],
  ])('refuses the time zone %j and says why', (timeZone, why) => {
    expect(said({ cron: '@daily', timeZone })).toContain(why);
  });

  it.each([
    ['catchUpWindow', '5s', 'write 10s to 365d'],
    ['catchUpWindow', '400d', 'write 10s to 365d'],
    ['catchUpWindow', '1 hour', 'no duration'],
    ['catchUpWindow', '-1h', 'no duration'],
    ['catchUpWindow', '1.5h', 'no duration'],
    ['catchUpWindow', '10', 'no duration'],
    ['jitter', '0s', 'write 1s to 1d'],
    ['jitter', '2d', 'write 1s to 1d'],
  ])('refuses %s %j and says why', (key, value, why) => {
    expect(said({ cron: '@daily', [key]: value })).toContain(why);
  });

  it.each([
    ['30s', 30_000],
    ['10m', 600_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
  ])('%s is %i ms', (text, ms) => expect(durationMs(text)).toBe(ms));

  it('refuses an empty list, another policy and an unknown key', () => {
    for (const wrong of [
      { cron: [] },
      { cron: '@daily', overlap: 'allow' },
      { cron: '@daily', timezone: 'UTC' },
      {},
    ])
      expect(parse(wrong).success).toBe(false);
  });
});
