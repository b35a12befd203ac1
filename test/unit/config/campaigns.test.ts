// Campaigns: what good ones become, and how wrong ones are shown.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CONFIG_CHECKS } from '../../../src/cli/config-checks.ts';
import { summarize } from '../../../src/cli/config-summary.ts';
import { describeSummary } from '../../../src/cli/describe-config.ts';
import { SANDBOX_YAML, SLUICE_YAML } from '../../../src/cli/init-files.ts';
import { loadConfig } from '../../../src/config/index.ts';
import { MEMBER_CODES } from '../../../src/contracts/campaign.ts';
import { parseFixture } from '../../../src/sandbox/fixture-merge.ts';
import { configRoom } from './room.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

const room = configRoom();
const { load, problemsOf } = room;

const GOOD = `version: 1
accounts:
  acme:
    baseUrl: http://127.0.0.1:4010/wapi
    tokens: [env:ACME_TOKEN]
    timeZone: America/Sao_Paulo
    optOut: { tags: [leave-me], words: [sair] }
  other: { baseUrl: http://127.0.0.1:4010/wapi, tokens: [env:T], timeZone: Europe/Lisbon }
sources:
  list: { type: csv, path: list.csv }
mappings:
  people: { contact: { number: phone } }
syncs:
  leads: { account: acme, source: list, mapping: people }
  theirs: { account: other, source: list, mapping: people }
pollers:
  inbox: { account: acme, connection: 1 }
campaigns:
  back:
    account: acme
    flow: 3
    connection: 1
    variables: { first_name: contact.name }
    audience:
      - { from: cards, status: [lost], closed: { after: 90d, before: 30d } }
      - { from: source, source: list, number: phone }
      - { from: ledger, createdBy: leads, silentFor: 60d }
      - { from: ledger, campaign: { name: back, replied: false } }
    exclude: { campaigns: [back], numbers: { source: list, number: phone } }
    start: 2026-12-01T09:00:00-03:00
    end: 2026-12-23T18:00:00-03:00
    windows:
      days: { mon: [09:00-12:00, 14:00-18:00], sat: [22:00-02:00] }
      holidays: [2026-12-08, 02-29]
    waves: { canary: 20, size: [50, 100], settle: 1h }
    stop: { failed: 0.1, replies: 0.01, optOut: 0.02 }
    humanService: { retryAfter: 2h }
    after: { tags: [reached] }
  abroad:
    account: other
    flow: 1
    connection: 1
    audience: [{ from: contacts, channel: whatsapp }]
    windows: { days: { mon: [00:00-24:00] } }
`;
const NOW = new Date('2026-11-22T12:00:00Z');

type Case = [name: string, from: string, to: string, expected: string[]];
/** The file, with one place changed, has exactly these problems. */
function tell(cases: Case[]): void {
  it.each(cases)('%s', async (_name, from, to, expected) => {
    expect(GOOD).toContain(from);
    const found = await problemsOf(GOOD.replace(from, () => to));
    expect(found.map((problem) => problem.replace(/^sluice\.yaml:\d+:\d+ {2}/, ''))).toEqual(expected);
  });
}

describe('a good campaign', () => {
  it('has defaults where nothing is said', async () => {
    const { config } = await load(GOOD);
    expect(config.campaigns.abroad).toEqual({
      account: 'other',
      flow: 1,
      connection: 1,
      variables: {},
      audience: [{ from: 'contacts', channel: 'whatsapp' }],
      exclude: { openConversation: false, humanService: true },
      holdout: 0,
      windows: { zone: 'number', days: { mon: ['00:00-24:00'] }, holidays: [] },
      waves: { size: 500, every: '0s', settle: '15m' },
      stop: { atLeast: 20 },
      cap: { times: 1, within: '7d' },
      recheck: 'ledger',
      conversationWindow: 'any',
      humanService: { times: 1 },
      after: {},
      approval: 'none',
    });
  });

  it('is frozen with the sources that it reads, and the zone and opt-outs of its account', async () => {
    const loaded = await load(GOOD);
    const spec = loaded.campaign('back');
    expect(Object.keys(spec.sources)).toEqual(['list']);
    expect(spec.timeZone).toBe('America/Sao_Paulo');
    expect(spec.optOut).toEqual({ tags: ['leave-me'], words: ['sair'] });
    expect(() => loaded.campaign('bak')).toThrow('there is no campaign "bak"; did you mean "back"?');
  });

  it.each([
    ['a poller of all connections', 'account: acme, connection: 1 }', 'account: acme }'],
    [
      'one span that is a time, and one that is not, in any order',
      'after: 90d',
      'after: 2030-01-01T00:00:00Z',
    ],
    [
      'times that are the same',
      'after: 90d, before: 30d',
      'after: 2026-01-01T00:00:00Z, before: 2026-01-01T00:00:00Z',
    ],
    ['all cards, when it says so', 'status: [lost]', 'status: [open, won, lost]'],
    ['a stage by id without a pipeline', 'status: [lost], closed: { after: 90d, before: 30d }', 'stage: 11'],
    [
      'a tag that the card has, and another that it has not',
      'status: [lost]',
      'tags: [a, b], withoutTags: [b]',
    ],
    [
      'a canary that nobody judges',
      'stop: { failed: 0.1, replies: 0.01, optOut: 0.02 }',
      'stop: { atLeast: 500 }',
    ],
    [
      'no poller, when nothing needs one',
      'abroad:\n    account: other',
      'abroad:\n    stop: { failed: 0.5 }\n    account: other',
    ],
  ])('may have %s', async (_name, from, to) => {
    expect(GOOD).toContain(from);
    await expect(load(GOOD.replace(from, () => to))).resolves.toBeDefined();
  });

  it('is told of by `config check`, with what is right but surprising', async () => {
    const lines = describeSummary(await summarize(await load(GOOD), NOW));
    expect(lines).toContain(
      '  campaign back    flow 3 over connection 1 of acme, for cards and list and ledger',
    );
    expect(lines.join('\n')).not.toContain('campaign back:');
    const surprising = GOOD.replace(
      'after: { tags: [reached] }',
      'holdout: 0.6\n    approval: second-person\n    schedule: { cron: "@daily" }',
    );
    const later = describeSummary(await summarize(await load(surprising), new Date('2027-01-01T00:00:00Z')));
    expect(later.filter((line) => line.startsWith('  campaign back'))).toEqual([
      '  campaign back    flow 3 over connection 1 of acme, for cards and list and ledger, @daily',
      '  campaign back: it was over on 2026-12-23T18:00:00-03:00, so no plan of it can be started; write a later end, or take it out',
      '  campaign back: it leaves more people alone than it reaches: holdout is 0.6',
      '  campaign back: its schedule makes plans only: each waits for `sluice campaign approve` and `sluice campaign start`',
    ]);
  });
});

describe('names that a campaign refers to', () => {
  tell([
    [
      'an unknown account',
      'back:\n    account: acme',
      'back:\n    account: acm',
      ['campaigns.back.account: there is no account "acm"; did you mean "acme"?'],
    ],
    [
      'an unknown source of members',
      'source: list, number: phone }\n      - { from: ledger',
      'source: lst, number: phone }\n      - { from: ledger',
      ['campaigns.back.audience[1].source: there is no source "lst"; did you mean "list"?'],
    ],
    [
      'an unknown source of numbers to leave out',
      'numbers: { source: list',
      'numbers: { source: nobody',
      ['campaigns.back.exclude.numbers.source: there is no source "nobody"; sources: list'],
    ],
    [
      'an unknown sync',
      'createdBy: leads',
      'createdBy: lead',
      ['campaigns.back.audience[2].createdBy: there is no sync "lead"; did you mean "leads"?'],
    ],
    [
      'unknown campaigns',
      '{ name: back, replied: false } }\n    exclude: { campaigns: [back]',
      '{ name: bakc, replied: false } }\n    exclude: { campaigns: [back, forth]',
      [
        'campaigns.back.audience[3].campaign.name: there is no campaign "bakc"; did you mean "back"?',
        'campaigns.back.exclude.campaigns[1]: there is no campaign "forth"; campaigns: back, abroad',
      ],
    ],
    [
      'a sync and campaigns of another account, whose people are others',
      'createdBy: leads, silentFor: 60d }\n      - { from: ledger, campaign: { name: back, replied: false } }\n    exclude: { campaigns: [back]',
      'createdBy: theirs }\n      - { from: ledger, campaign: { name: abroad } }\n    exclude: { campaigns: [back, abroad]',
      [
        'campaigns.back.audience[2].createdBy: the sync "theirs" writes into the account "other"; name one of the same account',
        'campaigns.back.audience[3].campaign.name: the campaign "abroad" is of the account "other"; name one of the same account',
        'campaigns.back.exclude.campaigns[1]: the campaign "abroad" is of the account "other"; name one of the same account',
      ],
    ],
    [
      'a name that every object has',
      'createdBy: leads',
      'createdBy: constructor',
      ['campaigns.back.audience[2].createdBy: there is no sync "constructor"; syncs: leads, theirs'],
    ],
    [
      'the origin of cards by name, which is not a source of the file',
      'status: [lost], ',
      'source: Site, ',
      ['campaigns.back.audience[0].source: expected a number, found text'],
    ],
  ]);
});

describe('an account with campaigns', () => {
  tell([
    [
      'has a time zone',
      '    timeZone: America/Sao_Paulo\n',
      '',
      [
        'accounts.acme.timeZone: is missing: the campaign "back" goes by it where a contact\'s own zone is not known; write a name of the IANA list, for example America/Sao_Paulo',
      ],
    ],
    [
      'has a time zone that is one',
      'timeZone: America/Sao_Paulo',
      'timeZone: Brasilia',
      [
        'accounts.acme.timeZone: "Brasilia" is no time zone; write a name of the IANA list, for example America/Sao_Paulo or UTC',
      ],
    ],
    [
      'has no word of punctuation alone',
      'words: [sair]',
      'words: ["!?", 🛑, sair, "- …"]',
      [
        'accounts.acme.optOut.words[0]: is punctuation alone, which is not looked at; write a word, for example sair',
        'accounts.acme.optOut.words[3]: is punctuation alone, which is not looked at; write a word, for example sair',
      ],
    ],
  ]);
});

describe('windows', () => {
  tell([
    [
      'without any day',
      'days: { mon: [09:00-12:00, 14:00-18:00], sat: [22:00-02:00] }',
      'days: {}',
      [
        'campaigns.back.windows.days: no flow would ever be triggered; give it a weekday, for example mon: [09:00-18:00]',
      ],
    ],
    [
      'with a day of no range',
      'sat: [22:00-02:00]',
      'sat: []',
      ['campaigns.back.windows.days.sat: needs at least one entry'],
    ],
    [
      'with a range of no length',
      '14:00-18:00',
      '14:00-14:00',
      [
        'campaigns.back.windows.days.mon[1]: 14:00-14:00 is over as it begins; write 00:00-24:00 for the whole day, or leave it out',
      ],
    ],
    [
      'with an hour that no clock has',
      '14:00-18:00',
      '14:00-24:01',
      [
        'campaigns.back.windows.days.mon[1]: write from and to, for example 09:00-18:30; 22:00-02:00 ends the next day, 00:00-24:00 is the whole day',
      ],
    ],
    [
      'with holidays that no calendar has',
      '[2026-12-08, 02-29]',
      '[2026-02-29, 02-30, 13-01, 2026-12-8]',
      [
        'campaigns.back.windows.holidays[0]: 2026-02-29 is a day that no calendar has; write month and day as 12-25',
        'campaigns.back.windows.holidays[1]: 02-30 is a day that no calendar has; write month and day as 12-25',
        'campaigns.back.windows.holidays[2]: 13-01 is a day that no calendar has; write month and day as 12-25',
        'campaigns.back.windows.holidays[3]: write 2026-12-25, or 12-25 for every year',
      ],
    ],
    [
      'that end before they begin, by the clock of the world',
      'end: 2026-12-23T18:00:00-03:00',
      'end: 2026-12-01T11:59:00Z',
      [
        'campaigns.back.end: the campaign would be over on 2026-12-01T11:59:00Z, before it begins on 2026-12-01T09:00:00-03:00; write a later end',
      ],
    ],
    [
      'with a time without its zone',
      'end: 2026-12-23T18:00:00-03:00',
      'end: 2026-12-23T18:00:00',
      ['campaigns.back.end: write a time with its offset, for example 2026-12-01T09:00:00-03:00'],
    ],
  ]);
});

describe('an audience', () => {
  tell([
    [
      'of everybody, by a filter that was forgotten',
      '- { from: cards, status: [lost], closed: { after: 90d, before: 30d } }',
      '- { from: cards }\n      - { from: contacts }\n      - { from: ledger }',
      [
        'campaigns.back.audience[0]: would reach the contacts of all cards; say which; if all are meant, write status: [open, won, lost]',
        'campaigns.back.audience[1]: would reach all contacts; say which; if all of a channel are meant, write channel: whatsapp',
        'campaigns.back.audience[2]: would reach everybody that Sluice knows; say whom: by tags, pipeline, createdBy, silentFor or campaign',
      ],
    ],
    [
      'of stages by name, in no pipeline',
      '- { from: cards, status: [lost], closed: { after: 90d, before: 30d } }',
      '- { from: cards, stage: New }\n      - { from: ledger, stage: New }',
      [
        'campaigns.back.audience[0].stage: a stage by name is one of a pipeline, and no pipeline is named; add `pipeline`, or write the id of the stage',
        'campaigns.back.audience[1].stage: a stage by name is one of a pipeline, and no pipeline is named; add `pipeline`',
      ],
    ],
    [
      'of open cards that were lost and closed',
      'status: [lost], closed: { after: 90d, before: 30d }',
      'status: [open], lostReason: 2, closed: { before: 30d }',
      [
        'campaigns.back.audience[0].lostReason: no card that is open has a reason why it was lost; add lost to status, or leave one of the two out',
        'campaigns.back.audience[0].closed: no card that is open has been closed; add won or lost to status, or leave one of the two out',
      ],
    ],
    [
      'with a tag and without it',
      'status: [lost], closed',
      'tags: [a], withoutTags: [b, a], closed',
      [
        'campaigns.back.audience[0].withoutTags: nobody has "a" and is without it; leave it out of tags or of withoutTags',
      ],
    ],
    [
      'of spans that are swapped, or as long',
      'closed: { after: 90d, before: 30d }',
      'closed: { after: 30d, before: 720h }, inStageSince: { after: 1d, before: 2d }, created: {}',
      [
        'campaigns.back.audience[0].closed: nothing lies less than 30d and more than 720h ago; the longer span belongs to after, the shorter one to before',
        'campaigns.back.audience[0].inStageSince: nothing lies less than 1d and more than 2d ago; the longer span belongs to after, the shorter one to before',
        'campaigns.back.audience[0].created: says neither after nor before; add one of them',
      ],
    ],
    [
      'of times that are swapped',
      'closed: { after: 90d, before: 30d }',
      'closed: { after: 2026-10-02T00:00:00-03:00, before: 2026-10-02T00:00:00Z }',
      [
        'campaigns.back.audience[0].closed: nothing lies after 2026-10-02T00:00:00-03:00 and before 2026-10-02T00:00:00Z; swap the two',
      ],
    ],
    [
      'of a date without its offset',
      'closed: { after: 90d, before: 30d }',
      'closed: { after: 2026-10-02 }',
      [
        'campaigns.back.audience[0].closed.after: write a time with its offset (2026-11-01T00:00:00-03:00), or a span before the plan (90d)',
      ],
    ],
    [
      'of nobody',
      'audience: [{ from: contacts, channel: whatsapp }]',
      'audience: []',
      ['campaigns.abroad.audience: needs at least one entry'],
    ],
    [
      'from somewhere else',
      '{ from: contacts, channel: whatsapp }',
      '{ from: contact, channel: whatsapp }',
      [
        'campaigns.abroad.audience[0].from: expected "cards", "contacts", "source" or "ledger", found "contact"; did you mean "contacts"?',
      ],
    ],
  ]);
});

describe('rules that nobody would ever keep', () => {
  const blind = [
    'pollers:\n  inbox: { account: acme, connection: 1 }\n',
    'pollers: { inbox: { account: acme, connection: 2 } }\n',
  ] as const;
  const way = 'no poller follows connection 1 of the account "acme"; add one to pollers: { account: acme }';

  tell([
    [
      'as no poller sees the connection',
      ...blind,
      [
        `campaigns.back: replies that opt out would never be seen: ${way}`,
        `campaigns.back.audience[2].silentFor: who has been silent would never be seen: ${way}`,
        `campaigns.back.audience[3].campaign.replied: who replied would never be seen: ${way}`,
        `campaigns.back.stop.replies: replies would never be seen: ${way}`,
      ],
    ],
    [
      'as the account has no poller at all',
      'abroad:\n    account: other',
      'abroad:\n    conversationWindow: open\n    exclude: { openConversation: true }\n    account: other',
      ['conversationWindow', 'exclude.openConversation'].map(
        (key) =>
          `campaigns.abroad.${key}: an open ${key === 'conversationWindow' ? '24-hour window' : 'conversation'} would never be seen: no poller follows connection 1 of the account "other"; add one to pollers: { account: other }`,
      ),
    ],
    [
      'as no word opts out',
      ', words: [sair]',
      '',
      [
        'campaigns.back.stop.optOut: after a trigger people opt out by a reply, and accounts.acme.optOut.words has none that would count; list the words there, or leave this rule out',
      ],
    ],
    [
      'as the first wave is too small',
      'canary: 20',
      'canary: 19',
      [
        'campaigns.back.waves.canary: a first wave of 19 is judged by no share, as it has less than 20 members; write 20 or more, or set stop.atLeast to 19',
      ],
    ],
    [
      'as all waves are too small',
      'size: [50, 100]',
      'size: [5, 19]',
      [
        'campaigns.back.stop.atLeast: no wave has more than 19 members, and one of less than 20 is judged by no share; set stop.atLeast to 19 or less',
      ],
    ],
    [
      'as nobody has time to answer',
      'settle: 1h',
      'settle: 0s',
      [
        'campaigns.back.waves.settle: a wave would be judged by its replies before anybody can have answered; give people some time, for example 1h',
      ],
    ],
    [
      'as they say how often and not when',
      'humanService: { retryAfter: 2h }',
      'humanService: { times: 3 }',
      [
        'campaigns.back.humanService.times: says how often to try again, but not how much later; set humanService.retryAfter, for example 2h, or leave it out',
      ],
    ],
    [
      'as they take everybody out for good',
      'tags: [reached]',
      'tags: [reached, leave-me]',
      [
        'campaigns.back.after.tags[1]: "leave-me" takes each member out of every later campaign: it is one of accounts.acme.optOut.tags; use a tag of its own, and exclude.tags',
      ],
    ],
    [
      'as no flow has such variables',
      '{ first_name: contact.name }',
      '{ "{{name}}": contact.name, " name": contact.name }',
      ['["{{name}}"]', '[" name"]'].map(
        (key) =>
          `campaigns.back.variables${key}: no flow has a variable of this name; write its name alone, without spaces around it or braces`,
      ),
    ],
  ]);
});

describe('expressions of a campaign', () => {
  const checked = (text: string) => problemsOf(text, CONFIG_CHECKS);
  it.each<Case>([
    [
      'JSONata that can not be read, once for all parts of the audience',
      'first_name: contact.name',
      'first_name: "=$split("',
      ['variables.first_name', 'JSONata'],
    ],
    [
      'a template that is not closed',
      'first_name: contact.name',
      "first_name: ['{{contact.a', contact.name]",
      ['variables.first_name[0]', 'not closed'],
    ],
    [
      'a number of a row',
      'source: list, number: phone }\n      - { from: ledger',
      'source: list, number: "{{}}" }\n      - { from: ledger',
      ['audience[1].number', 'empty'],
    ],
    [
      'a number of a row to leave out',
      'numbers: { source: list, number: phone }',
      'numbers: { source: list, number: "=(" }',
      ['exclude.numbers.number', 'JSONata'],
    ],
    [
      'a number to leave out that is none, which is not repeated',
      'numbers: { source: list, number: phone }',
      "numbers: ['+5511987654321', '55119']",
      ['exclude.numbers[1]', 'the number is too short'],
    ],
    [
      'a country without phones',
      'variables: {',
      'defaultCountry: XX\n    variables: {',
      ['defaultCountry', 'is no country with phone numbers'],
    ],
    [
      'a zone of a field',
      'days: { mon: [00:00-24:00] }',
      'zone: { field: "=(" }, days: { mon: [00:00-24:00] }',
      ['windows.zone.field', 'JSONata'],
    ],
    [
      'a stage without its pipeline, once',
      'status: [lost], closed',
      'stage: New, closed',
      ['audience[0].stage', 'no pipeline is named'],
    ],
  ])('%s', async (_name, from, to, [at = '', message = '']) => {
    expect(GOOD).toContain(from);
    const found = await checked(GOOD.replace(from, () => to));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^sluice\.yaml:\d+:\d+ {2}campaigns\.(back|abroad)\./);
    expect(found[0]).toContain(`.${at}: `);
    expect(found[0]).toContain(message);
    expect(found[0]).not.toContain('55119');
  });

  const way = 'write contact.name, for example, or give it a default';
  const none = 'nobody has it, so all would be left out: this audience has';
  const blind = (keys: string, has: string) =>
    [...keys].map((key) => `campaigns.abroad.variables.${key}: ${none} ${has}; ${way}`);
  tell([
    [
      'look for what contacts do not have',
      'flow: 1',
      'flow: 1\n    variables: { a: name, b: { path: Name }, c: "Dear {{name}}", d: [name, Name], e: card.title }',
      blind('abcde', 'contact.… alone'),
    ],
    [
      'look for what neither cards nor contacts have',
      'flow: 1\n    connection: 1\n    audience: [',
      'flow: 1\n    connection: 1\n    variables: { a: card.title, b: title }\n    audience: [{ from: cards, status: [lost] }, ',
      blind('b', 'card.… and contact.… alone'),
    ],
    [
      'look for a zone that nobody has',
      'days: { mon: [00:00-24:00] }',
      'zone: { field: zone }, days: { mon: [00:00-24:00] }',
      [
        'campaigns.abroad.windows.zone.field: nobody has it: this audience has contact.… alone; take a field of the contact, or write zone: number',
      ],
    ],
  ]);

  it.each([
    '{ a: { path: name, default: you } }',
    '{ a: { const: x } }',
    '{ a: =name }',
    '{ a: "Dear {{contact.name}} of {{name}}" }',
    '{ a: [name, contact.name] }',
  ])('may be %s', async (variables) => {
    await expect(
      load(
        GOOD.replace('{ first_name: contact.name }', () => variables),
        CONFIG_CHECKS,
      ),
    ).resolves.toBeDefined();
  });
});

it('one mistake hides no other', async () => {
  const text = GOOD.replace('flow: 3', 'flow: three')
    .replace('sat: [22:00-02:00]', 'sat: [22:00-22:00]')
    .replace('status: [lost]', 'status: [gone]')
    .replace('after: 90d, before: 30d', 'after: 1d, before: 30d')
    .replace('canary: 20', 'canary: 2');
  const found = await problemsOf(text);
  expect(found.map((problem) => /back\.([^:]+)/.exec(problem)?.[1])).toEqual([
    'flow',
    'audience[0].status[0]',
    'audience[0].closed',
    'windows.days.sat[0]',
    'waves.canary',
  ]);
});

describe('campaigns that come with Sluice', () => {
  it('of `sluice init` is right once its # is taken away, as is its sandbox', async () => {
    const text = SLUICE_YAML.replace(/^# (campaigns:\n(?:# .*\n)+)/m, (_all, block: string) =>
      block.replace(/^# /gm, ''),
    );
    const { config } = await load(text, CONFIG_CHECKS);
    const [account] = parseFixture(parse(SANDBOX_YAML)).accounts ?? [];
    const campaign = config.campaigns['win-back']!;
    expect(account?.flows?.map(({ id }) => id)).toContain(campaign.flow);
    expect(account?.tokens?.[0]?.scopes).toContain('flows:trigger');
    expect(account?.tags?.map(({ name }) => name)).toContain('newsletter');
  });

  it('of the examples names only what the demo account has', async () => {
    const { config } = await loadConfig(join(ROOT, 'examples/sluice.yaml'), { env: {}, ...CONFIG_CHECKS });
    const fixture = parse(await readFile(join(ROOT, 'examples/sandbox.yaml'), 'utf8'));
    const [account] = parseFixture(fixture).accounts ?? [];
    const tags = account?.tags?.map(({ name }) => name);
    const { flow, connection, audience, exclude, after } = config.campaigns.reativacao!;
    for (const part of audience)
      if ('tags' in part) expect(tags).toEqual(expect.arrayContaining(part.tags ?? []));
    expect(tags).toEqual(expect.arrayContaining([...(exclude.tags ?? []), ...(after.tags ?? [])]));
    expect(tags).toEqual(expect.arrayContaining(config.accounts.demo?.optOut.tags ?? []));
    expect(account?.flows?.map(({ id }) => id)).toContain(flow);
    expect(account?.connections?.map(({ id }) => id)).toContain(connection);
  });
});

describe('sluice.example.yaml', () => {
  it('shows the defaults of campaigns as they are, where it says nothing else', async () => {
    const shown = parse(await readFile(join(ROOT, 'sluice.example.yaml'), 'utf8'));
    const { config } = await load(GOOD);
    const { exclude, holdout, windows, waves, stop, cap, recheck, conversationWindow, approval } =
      config.campaigns.abroad!;
    expect(shown.campaigns['lost-again']).toMatchObject({
      exclude,
      holdout,
      windows: { zone: windows.zone },
      waves,
      stop,
      cap,
      recheck,
      conversationWindow,
      approval,
    });
  });
});

describe('docs/campaigns.md', () => {
  it('shows a configuration that is right, and says of every code what to do', async () => {
    const text = await readFile(join(ROOT, 'docs/campaigns.md'), 'utf8');
    const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(text) ?? [];
    const { config } = await load(`version: 1\n${yaml}`, CONFIG_CHECKS);
    expect(Object.keys(config.campaigns)).toEqual(['win-back']);
    const codes = [...text.matchAll(/^\| (?:`skipped` )?`([A-Z_]+)` +\|.*\| .+ \|$/gm)].map(
      ([, code]) => code,
    );
    expect(codes).toEqual(expect.arrayContaining([...MEMBER_CODES]));
  });
});
