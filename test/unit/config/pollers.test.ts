// Pollers, the sinks of conversations, and who hears what: what good ones become, and how wrong ones are shown.
import { describe, expect, it } from 'vitest';
import { configContext } from './context.ts';

const context = configContext();
const NOW = new Date('2026-11-22T12:00:00Z');

const GOOD = `version: 1
accounts:
  acme:
    baseUrl: http://127.0.0.1:4010/wapi
    tokens: [env:ACME_TOKEN]
    announce:
      - { sink: bus }
      - { sink: hooks, events: [message.received, message.sent], connections: [1, 2] }
  other: { baseUrl: http://127.0.0.1:4010/wapi, tokens: [env:OTHER_TOKEN] }
sinks:
  bus: { type: kafka, brokers: [kafka:9092], topic: conversations, tls: true }
  hooks: { type: http, url: 'http://127.0.0.1:8080/hooks', secrets: [env:HOOK_KEY] }
  log: { type: jsonl, path: logs/events.jsonl }
  shop: { type: postgres, url: env:SHOP_DB }
pollers:
  main: { account: acme, interval: { min: 1s, max: 30s } }
  two: { account: other, connection: 2, from: 2026-11-20 }
  three: { account: other, connection: 3, from: all }
`;
const load = (text: string) => context.load(text, { now: NOW });
const problemsOf = (text: string) => context.problemsOf(text, { now: NOW });

type Case = [name: string, from: string, to: string, expected: string[]];
function report(cases: Case[]): void {
  it.each(cases)('%s', async (_name, from, to, expected) => {
    expect(GOOD).toContain(from);
    expect(await problemsOf(GOOD.replace(from, () => to))).toEqual(expected);
  });
}

describe('a good configuration', () => {
  it('has defaults where nothing is said', async () => {
    const { config, dir } = await load(GOOD);
    expect(config.pollers).toEqual({
      main: {
        account: 'acme',
        from: 'now',
        interval: { min: '1s', max: '30s' },
        share: 0.5,
        pageSize: 100,
      },
      two: {
        account: 'other',
        connection: 2,
        from: '2026-11-20',
        interval: { min: '3s', max: '30s' },
        share: 0.5,
        pageSize: 100,
      },
      three: expect.objectContaining({ connection: 3, from: 'all' }),
    });
    expect(config.accounts.other?.announce).toEqual([]);
    expect(config.sinks.log).toEqual({ type: 'jsonl', path: `${dir}/logs/events.jsonl` });
    expect(config.sinks.shop).toEqual({ type: 'postgres', url: 'env:SHOP_DB', table: 'sluice_events' });
    expect(config.sinks.hooks).toMatchObject({ timeout: '15s', concurrency: 4 });
  });

  it.each([
    ['no word about polling', GOOD.slice(0, GOOD.indexOf('pollers:'))],
    ['a time of today', GOOD.replace('2026-11-20', '2026-11-22')],
    ['a time with its zone', GOOD.replace('2026-11-20', '2026-11-22T08:59:59-03:00')],
    ['two rules for one sink that say different things', GOOD.replace('sink: bus', 'sink: hooks')],
    ['an address that is loopback, without https', GOOD.replace('127.0.0.1:8080', '[::1]:8080')],
    ['bounds of the interval that are the same', GOOD.replace('min: 1s', 'min: 30s')],
  ])('may have %s', async (_name, text) => {
    await expect(load(text)).resolves.toBeDefined();
  });
});

describe('a mistake in a poller is shown where it stands, with the fix', () => {
  report([
    [
      'an unknown account',
      'main: { account: acme',
      'main: { account: acm',
      ['sluice.yaml:16:11  pollers.main.account: there is no account "acm"; did you mean "acme"?'],
    ],
    [
      'a name that every object has',
      'main: { account: acme',
      'main: { account: valueof',
      ['sluice.yaml:16:11  pollers.main.account: there is no account "valueof"; accounts: acme, other'],
    ],
    [
      'no account',
      'main: { account: acme, ',
      'main: { ',
      ['sluice.yaml:16:3  pollers.main.account: is missing; expected text'],
    ],
    [
      'more waiting when busy than when idle',
      'min: 1s',
      'min: 1m',
      [
        'sluice.yaml:16:38  pollers.main.interval.min: waits 1m between polls when busy, and only 30s when idle; keep interval.min at interval.max or less',
      ],
    ],
    [
      'less waiting when idle than the default when busy',
      '{ min: 1s, max: 30s }',
      '{ max: 1s }',
      [
        'sluice.yaml:16:38  pollers.main.interval.max: waits 3s between polls when busy, and only 1s when idle; keep interval.min at interval.max or less',
      ],
    ],
    [
      'more waiting when busy than the default when idle',
      '{ min: 1s, max: 30s }',
      '{ min: 31s }',
      [
        'sluice.yaml:16:38  pollers.main.interval.min: waits 31s between polls when busy, and only 30s when idle; keep interval.min at interval.max or less',
      ],
    ],
    [
      'an interval out of bounds, which is said once',
      'min: 1s',
      'min: 1ms',
      ['sluice.yaml:16:38  pollers.main.interval.min: is out of bounds; write 500ms to 1h'],
    ],
    [
      'a date that no calendar has',
      '2026-11-20',
      '2026-02-30',
      ['sluice.yaml:17:41  pollers.two.from: write now, all, 2026-11-20 or 2026-11-20T10:00:00-03:00'],
    ],
    [
      'a time without its zone',
      '2026-11-20',
      '2026-11-20T10:00:00',
      ['sluice.yaml:17:41  pollers.two.from: write now, all, 2026-11-20 or 2026-11-20T10:00:00-03:00'],
    ],
    [
      'a word that is no time',
      '2026-11-20',
      'yesterday',
      ['sluice.yaml:17:41  pollers.two.from: write now, all, 2026-11-20 or 2026-11-20T10:00:00-03:00'],
    ],
    [
      'a date to come',
      '2026-11-20',
      '2026-11-23',
      [
        'sluice.yaml:17:41  pollers.two.from: 2026-11-23 is in the future, and Sluice publishes no message from before it; write a past time, or now',
      ],
    ],
    [
      'a time to come, though its clock shows one that has passed',
      '2026-11-20',
      '2026-11-22T11:59:00-03:00',
      [
        'sluice.yaml:17:41  pollers.two.from: 2026-11-22T11:59:00-03:00 is in the future, and Sluice publishes no message from before it; write a past time, or now',
      ],
    ],
    [
      'two pollers of one connection',
      'connection: 3',
      'connection: 2',
      [
        'sluice.yaml:18:28  pollers.three.connection: the poller "two" follows connection 2 of the account "other" already; keep one of them',
      ],
    ],
    [
      'a poller of all connections beside one of some',
      ', connection: 3',
      '',
      [
        'sluice.yaml:18:3  pollers.three: shares conversations of the account "other" with the poller "two": this one follows every connection; give each poller its own `connection`, or keep the one without',
      ],
    ],
    [
      'a poller of one connection beside one of all',
      ', connection: 2',
      '',
      [
        'sluice.yaml:18:3  pollers.three: shares conversations of the account "other" with the poller "two": "two" follows every connection; give each poller its own `connection`, or keep the one without',
      ],
    ],
    [
      'a share of nothing',
      'connection: 3',
      'share: 0, connection: 3',
      ['sluice.yaml:18:28  pollers.three.share: must be more than 0, found 0'],
    ],
    [
      'a page that the service would cap without a word',
      'connection: 3',
      'pageSize: 101, connection: 3',
      ['sluice.yaml:18:28  pollers.three.pageSize: must be at most 100, found 101'],
    ],
    [
      'a mistyped key',
      'connection: 3',
      'conection: 3, connection: 3',
      ['sluice.yaml:18:28  pollers.three.conection: unknown key; did you mean "connection"?'],
    ],
  ]);
});

describe('a mistake in who hears what', () => {
  report([
    [
      'an unknown sink',
      'sink: bus',
      'sink: buss',
      ['sluice.yaml:7:11  accounts.acme.announce[0].sink: there is no sink "buss"; did you mean "bus"?'],
    ],
    [
      'the same rule again, in another order',
      '- { sink: bus }',
      '- { sink: hooks, events: [message.sent, message.received], connections: [2, 1] }',
      ['sluice.yaml:8:9  accounts.acme.announce[1]: repeats entry 1 of the list; keep one of them'],
    ],
    [
      'an event that there is not',
      'message.received',
      'message.recieved',
      [
        'sluice.yaml:8:33  accounts.acme.announce[1].events[0]: expected "message.received", "message.sent", "message.status", "conversation.opened", "conversation.updated", "conversation.closed", "sluice.campaign.planned", "sluice.campaign.started", "sluice.campaign.paused", "sluice.campaign.resumed", "sluice.campaign.finished", "sluice.campaign.cancelled", "sluice.campaign.failed", "sluice.campaign.member.triggered", "sluice.campaign.member.skipped", "sluice.campaign.member.failed", "sluice.campaign.member.unknown", "sluice.optout.added", "sluice.optout.withdrawn", "sluice.deadletter.added" or "sluice.deadletter.resolved", found "message.recieved"; did you mean "message.received"?',
      ],
    ],
    [
      'no event at all',
      '[message.received, message.sent]',
      '[]',
      ['sluice.yaml:8:24  accounts.acme.announce[1].events: needs at least one entry'],
    ],
    [
      'a sink in place of a rule',
      '- { sink: bus }',
      '- bus',
      ['sluice.yaml:7:9  accounts.acme.announce[0]: expected keys with values, found text'],
    ],
  ]);
});

describe('a mistake in a sink', () => {
  report([
    [
      'a file that another sink writes',
      'type: postgres, url: env:SHOP_DB',
      'type: jsonl, path: ./logs//events.jsonl',
      [
        'sluice.yaml:14:24  sinks.shop.path: the sink "log" writes to "./logs//events.jsonl" already; choose another, or announce both to one sink',
      ],
    ],
    [
      'a folder in place of a file',
      'logs/events.jsonl',
      'logs/',
      ['sluice.yaml:13:23  sinks.log.path: "logs/" is a folder; name a file in it, for example events.jsonl'],
    ],
    [
      'a query in an address, where secrets hide',
      '127.0.0.1:8080/hooks',
      '127.0.0.1:8080/hooks?key=CANARY',
      [
        'sluice.yaml:12:24  sinks.hooks.url: holds credentials, a query or a fragment; write https://host/path alone',
      ],
    ],
    [
      'a table that would be more than a name',
      'url: env:SHOP_DB',
      'url: env:SHOP_DB, table: "events; drop"',
      ['sluice.yaml:14:45  sinks.shop.table: write table or schema.table'],
    ],
    [
      'the same secret twice',
      '[env:HOOK_KEY]',
      '[env:HOOK_KEY, env:HOOK_KEY]',
      ['sluice.yaml:12:84  sinks.hooks.secrets[1]: is repeated in the list; keep one of them'],
    ],
    [
      'waits that are no times',
      'secrets: [env:HOOK_KEY]',
      'secrets: [env:HOOK_KEY], retry: [5]',
      ['sluice.yaml:12:93  sinks.hooks.retry[0]: expected text, found a number'],
    ],
  ]);
});

it('never repeats a secret, wherever one was pasted', async () => {
  const key = 'whsec_CANARY+MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw==';
  for (const [from, to] of [
    ['env:HOOK_KEY', `'${key}'`],
    ['[env:HOOK_KEY]', `'${key}'`],
    ['[env:HOOK_KEY]', `{ '${key}': 1 }`],
    ['env:HOOK_KEY', `'env:${key.slice(0, 12)}'`],
    ['env:HOOK_KEY', `'file:${key}'`],
    ['secrets: [env:HOOK_KEY]', `secrets: [env:HOOK_KEY], '${key}': 1`],
    ['secrets: [env:HOOK_KEY]', `secrets: [env:HOOK_KEY], timeout: '${key}'`],
    ['type: http', `type: '${key}'`],
    ['hooks: {', `'${key}': {`],
    ['http://127.0.0.1:8080/hooks', key],
    ['http://127.0.0.1:8080/hooks', 'http://svc:CANARY@127.0.0.1:8080/hooks'],
    ['env:SHOP_DB', 'postgres://svc:CANARY@db:5432/shop'],
    ['sink: bus', `sink: '${key}'`],
    ['sink: bus', `sink: '${key.toLowerCase()}'`],
    ['from: all', `from: '${key}'`],
  ] as const) {
    expect(GOOD).toContain(from);
    const problems = await problemsOf(GOOD.replace(from, () => to));
    expect(problems.join('\n').toLowerCase(), to).not.toContain('canary');
  }
});
