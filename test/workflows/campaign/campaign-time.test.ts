// Weeks of campaigns on a Temporal server whose time runs ahead: no flow is ever triggered outside a window, as the service's own
// log and the wall clocks show it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WEEKDAYS } from '../../../src/jobs/campaigns/constants.ts';
import {
  campaignEnvironment,
  flowRuns,
  report,
  started,
  sumOf,
} from '../../support/campaigns/campaign-context.ts';
import {
  clocksApart,
  DAY,
  dateIn,
  HOUR,
  nextChange,
  nextWeekday,
  outsideWindows,
  timeContext,
  triggerTimes,
} from '../../support/campaigns/campaign-time-context.ts';
import { propertyRuns } from '../../support/runner/property-runs.ts';

const MINUTE = 60_000;
const SAO_PAULO = 'America/Sao_Paulo';
const context = timeContext();
const { inEnvironment, passUntil } = context;
const now = () => context.temporal.clock.now();

const daily = (...ranges: string[]) => Object.fromEntries(WEEKDAYS.map((day) => [day, ranges]));

/** One contact per zone, with the zone as its name. */
function contactsIn(zones: readonly string[]) {
  return zones.map((zone, n) => ({ id: n + 1, number: `1415555${2001 + n}`, name: zone, tagIds: [1] }));
}

/** The flows ran in these minutes, and in no others. */
function expectAt(times: readonly number[], expected: readonly number[]): void {
  const show = (ms: number) => new Date(ms).toISOString().slice(0, 16);
  expect(times.map(show)).toEqual(expected.map(show));
}

describe('windows over weeks', () => {
  it('across midnight and holidays: as forecast, to the minute', async () => {
    const monday = nextWeekday(SAO_PAULO, 1, await now());
    await passUntil(monday - 12 * HOUR);
    const windows = {
      zone: 'account',
      days: { mon: ['22:00-02:00'], thu: ['09:00-12:00'] },
      // The second Tuesday, which Monday's window reaches into, and the second Thursday.
      holidays: [dateIn(SAO_PAULO, monday + 8.5 * DAY), dateIn(SAO_PAULO, monday + 10.5 * DAY)],
    };
    const waves = { canary: 1, size: [2, 4], every: '2d', settle: '3h' };
    await inEnvironment(campaignEnvironment(11, { campaign: { windows, waves } }), async (environment) => {
      const { plan, run, handle } = await started(environment, context.temporal.client);
      await context.temporal.pass(28 * DAY);
      expect((await handle.describe()).status.name).toBe('COMPLETED');
      const times = await triggerTimes(environment);
      const [first, second, third, fourth] = [
        monday + 22 * HOUR,
        monday + 81 * HOUR,
        monday + 7 * DAY + 22 * HOUR,
        monday + 14 * DAY + 22 * HOUR,
      ] as [number, number, number, number];
      expectAt(times, [first, ...Array(2).fill(second), ...Array(4).fill(third), ...Array(4).fill(fourth)]);
      expect(plan.waves.map(({ startsAt }) => Date.parse(startsAt))).toEqual([first, second, third, fourth]);
      expect(Date.parse(plan.finishAt ?? '')).toBeLessThan((times.at(-1) ?? 0) + MINUTE);
      const found = await report(environment, run);
      expect(found.waves.map(({ triggered }) => triggered)).toEqual([1, 2, 4, 4]);
      expect(await outsideWindows(environment, windows, () => [SAO_PAULO])).toEqual([]);
    });
  });

  it.each([
    ['America/New_York', 'forward', '02:30-04:00', [-24 * 60 + 30, 0, 24 * 60 - 30]],
    ['America/New_York', 'back', '01:30-02:30', [-24 * 60 - 30, 30, 24 * 60 + 30]],
    ['Europe/Lisbon', 'forward', '01:30-03:00', [-24 * 60 + 30, 0, 24 * 60 - 30]],
    ['Europe/Lisbon', 'back', '01:30-02:30', [-24 * 60 - 30, 30, 24 * 60 + 30]],
  ] as const)('FAULTS 43: %s, clocks go %s: %s', async (zone, direction, range, minutes) => {
    const change = nextChange(zone, direction, (await now()) + 3 * DAY);
    await passUntil(change - 30 * HOUR);
    const options = campaignEnvironment(3, {
      campaign: {
        windows: { zone: 'account', days: daily(range) },
        waves: { size: 1, every: '20h', settle: '0s' },
      },
      accountConfig: { timeZone: zone },
    });
    await inEnvironment(options, async (environment) => {
      await started(environment, context.temporal.client);
      await context.temporal.pass(3 * DAY);
      expectAt(
        await triggerTimes(environment),
        minutes.map((minute) => change + minute * MINUTE),
      );
    });
  });

  it('FAULTS 43: an unknown zone means every zone that the number may be in', async () => {
    const monday = nextWeekday('Europe/Lisbon', 1, await now());
    await passUntil(monday);
    const windows = { zone: { field: 'contact.name' }, days: daily('09:00-12:00') };
    const people = [
      {
        number: '351912345678',
        name: 'Atlantis',
        zones: ['Atlantic/Azores', 'Atlantic/Madeira', 'Europe/Lisbon'],
      },
      { number: '5581987654321', name: 'America/Nowhere', zones: ['America/Noronha', 'America/Recife'] },
      { number: '5511987654321', name: '-03:00', zones: [SAO_PAULO] },
      { number: '351912345679', name: 'Asia/Kathmandu', zones: ['Asia/Kathmandu'] },
      { number: '79161234567', name: 'Moscow', zones: [] },
    ];
    const contacts = people.map(({ number, name }, n) => ({ id: n + 1, number, name, tagIds: [1] }));
    await inEnvironment(
      campaignEnvironment(0, { campaign: { windows }, account: { contacts } }),
      async (environment) => {
        const { plan } = await started(environment, context.temporal.client);
        expect(plan).toMatchObject({ audience: 5, eligible: 4, excluded: { NO_COMMON_WINDOW: 1 } });
        await context.temporal.pass(2 * DAY);
        expect(await outsideWindows(environment, windows, (id) => people[id - 1]?.zones ?? [])).toEqual([]);
        const runs = new Map(
          (await flowRuns(environment)).map(({ contactId, at }) => [contactId, Date.parse(at)]),
        );
        expect(runs.size).toBe(4);
        // Nine o'clock is an hour later on the Azores, and in Recife an hour later than on Noronha.
        const clock = (zone: string, contact: number) =>
          new Date(runs.get(contact) ?? 0).toLocaleTimeString('en-GB', {
            timeZone: zone,
            timeStyle: 'short',
          });
        expect(clock('Atlantic/Azores', 1)).toBe('09:00');
        expect(clock('America/Recife', 2)).toBe('09:00');
      },
    );
  });
});

it('FAULTS 44: an outage that ends outside the windows: blocked members wait for the next window', async () => {
  const monday = nextWeekday(SAO_PAULO, 1, await now());
  await passUntil(monday + 9 * HOUR - 2 * MINUTE);
  const windows = { zone: 'account', days: daily('09:00-09:05') };
  await inEnvironment(campaignEnvironment(3, { campaign: { windows } }), async (environment) => {
    const { run, handle } = await started(environment, context.temporal.client);
    const back = await environment.outage();
    await passUntil(monday + 9 * HOUR + 8 * MINUTE);
    expect((await report(environment, run)).total).toMatchObject({ triggered: 0, failed: {}, unknown: 0 });
    await back();
    await passUntil(monday + DAY + 9 * HOUR - MINUTE);
    expect(await flowRuns(environment)).toEqual([]);
    await passUntil(monday + DAY + 10 * HOUR);
    expect((await handle.describe()).status.name).toBe('COMPLETED');
    expectAt(await triggerTimes(environment), Array(3).fill(monday + DAY + 9 * HOUR));
    expect((await report(environment, run)).total).toMatchObject({ triggered: 3, failed: {}, unknown: 0 });
  });
});

it('a window that closes in the middle of a wave: the rest is triggered when it opens again', async () => {
  const monday = nextWeekday(SAO_PAULO, 1, await now());
  // Calls keep their rate by the clock of the machine, and time stands still between them: six seconds are left.
  await passUntil(monday + 9 * HOUR + 5 * MINUTE - 6000);
  const windows = { zone: 'account', days: daily('09:00-09:05') };
  const options = campaignEnvironment(8, {
    campaign: { windows, waves: { settle: '0s', callsPerMinute: 60 } },
  });
  await inEnvironment(options, async (environment) => {
    await started(environment, context.temporal.client);
    await context.temporal.pass(3 * DAY);
    const times = await triggerTimes(environment);
    expect(times).toHaveLength(8);
    expect(await outsideWindows(environment, windows, () => [SAO_PAULO])).toEqual([]);
    const onMonday = times.filter((ms) => ms < monday + DAY).length;
    expect(onMonday).toBeGreaterThan(0);
    expect(onMonday).toBeLessThan(8);
    expect(times.at(-1)).toBeLessThan(monday + DAY + 9 * HOUR + MINUTE);
  });
});

it('nobody is triggered after the end, whatever delayed the campaign', async () => {
  const monday = nextWeekday(SAO_PAULO, 1, await now());
  await passUntil(monday + 9 * HOUR - 2 * MINUTE);
  const windows = { zone: 'account', days: daily('09:00-18:00') };
  const end = new Date(monday + 9 * HOUR + 2 * MINUTE).toISOString();
  await inEnvironment(campaignEnvironment(2, { campaign: { windows, end } }), async (environment) => {
    const { run, handle } = await started(environment, context.temporal.client);
    const back = await environment.outage();
    await passUntil(monday + 9 * HOUR + 4 * MINUTE);
    await back();
    await context.temporal.pass(DAY);
    expect((await handle.describe()).status.name).toBe('COMPLETED');
    expect(await flowRuns(environment)).toEqual([]);
    expect((await report(environment, run)).total).toMatchObject({
      triggered: 0,
      skipped: { CAMPAIGN_ENDED: 2 },
    });
  });
});

it('nobody is triggered by two runs within a week', async () => {
  const monday = nextWeekday(SAO_PAULO, 1, await now());
  await passUntil(monday);
  const windows = { zone: 'account', days: daily('09:00-12:00') };
  await inEnvironment(campaignEnvironment(3, { campaign: { windows } }), async (environment) => {
    const reached = async () => {
      const { run } = await started(environment, context.temporal.client);
      await context.temporal.pass(2 * DAY);
      return (await report(environment, run)).total.triggered;
    };
    expect(await reached()).toBe(3);
    expect(await reached()).toBe(0);
    await passUntil(monday + 8 * DAY);
    expect(await reached()).toBe(3);
    expect(await flowRuns(environment)).toHaveLength(6);
  });
});

it('a member in human service is retried days later, in a window', async () => {
  const monday = nextWeekday(SAO_PAULO, 1, await now());
  await passUntil(monday);
  const windows = { zone: 'account', days: daily('09:00-12:00') };
  const served = {
    id: 1,
    contactId: 2,
    connectionId: 1,
    status: 'open',
    chatbot: false,
    userId: 1,
    queueId: null,
    messages: [{ id: 'm1', body: 'hi', fromMe: false }],
  };
  const options = campaignEnvironment(3, {
    account: { users: [{ id: 1, name: 'Ana' }], conversations: [served] },
    campaign: { windows, humanService: { retryAfter: '40h', times: 2 } },
  });
  await inEnvironment(options, async (environment) => {
    const { run, handle } = await started(environment, context.temporal.client);
    await passUntil(monday + DAY);
    expect(await flowRuns(environment)).toHaveLength(2);
    await environment.panel.patch({ conversations: [{ id: 1, status: 'closed' }] });
    await passUntil(monday + 5 * DAY);
    expect((await handle.describe()).status.name).toBe('COMPLETED');
    // 40 hours later it is one in the morning.
    const nine = monday + 9 * HOUR;
    expectAt(await triggerTimes(environment), [nine, nine, nine + 2 * DAY]);
    expect((await report(environment, run)).total).toMatchObject({ triggered: 3, skipped: {} });
  });
});

describe('with any windows and zones', () => {
  const ZONES = [
    'America/New_York',
    'Europe/Lisbon',
    SAO_PAULO,
    'America/Noronha',
    'Asia/Kathmandu',
    'Africa/Casablanca',
    'Australia/Lord_Howe',
    'Pacific/Apia',
  ];
  const CHANGING = ['America/New_York', 'Europe/Lisbon', 'Australia/Lord_Howe'];
  const clock = (n: number) =>
    `${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`;
  const range = fc
    .tuple(fc.integer({ min: 0, max: 47 }), fc.integer({ min: 1, max: 24 }))
    .map(([from, length]) => `${clock(from * 30)}-${clock(((from + length) * 30) % 1440)}`);
  const days = fc
    .uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 2, maxLength: 7 })
    .chain((names) =>
      fc
        .tuple(...names.map(() => fc.array(range, { minLength: 1, maxLength: 2 })))
        .map((ranges) => Object.fromEntries(names.map((name, n) => [name, ranges[n]]))),
    );
  const scene = fc.record({
    days,
    change: fc.constantFrom(...CHANGING),
    direction: fc.constantFrom('forward', 'back'),
    holidays: fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 2 }),
    waves: fc.record({
      size: fc.integer({ min: 2, max: 9 }),
      every: fc.constantFrom('0s', '5h', '1d'),
      settle: fc.constantFrom('0s', '45m'),
    }),
  });

  it('no flow is triggered outside a window, everybody is triggered, and the sums match', async () => {
    await fc.assert(
      fc.asyncProperty(scene, async ({ days, change, direction, holidays, waves }) => {
        const at = nextChange(change, direction as 'forward' | 'back', (await now()) + 4 * DAY);
        await passUntil(at - 3 * DAY);
        const windows = {
          zone: { field: 'contact.name' },
          days,
          holidays: holidays.map((n) => dateIn(change, at + (n - 3) * DAY)),
        };
        const options = campaignEnvironment(0, {
          account: { contacts: contactsIn(ZONES) },
          campaign: { windows, waves },
        });
        await inEnvironment(options, async (environment) => {
          const { run, handle } = await started(environment, context.temporal.client);
          await context.temporal.pass(40 * DAY);
          expect(await outsideWindows(environment, windows, (id) => [ZONES[id - 1] as string])).toEqual([]);
          expect((await handle.describe()).status.name).toBe('COMPLETED');
          expect(await clocksApart(environment, run)).toBeLessThan(30);
          const found = await report(environment, run);
          expect(sumOf(found)).toBe(ZONES.length);
          expect(found.total.triggered).toBe(ZONES.length);
          expect(await flowRuns(environment)).toHaveLength(ZONES.length);
        });
      }),
      { numRuns: propertyRuns(4), endOnFailure: true },
    );
  });
});
