// Campaigns: what good ones become, and how wrong ones are shown.
import { describe, expect, it } from 'vitest';
import { describeSummary } from '../../../src/config/describe-summary.ts';
import { summarize } from '../../../src/config/summary.ts';
import { campaignConfigContext, GOOD, NOW } from './campaign-config-context.ts';

const { load, report } = campaignConfigContext();

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
      recheckWithin: '60s',
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

  it('is shown by `config check`, with warnings about what is valid but surprising', async () => {
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
  report([
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
        'campaigns.back.audience[3].campaign.name: the campaign "abroad" belongs to the account "other"; name one of the same account',
        'campaigns.back.exclude.campaigns[1]: the campaign "abroad" belongs to the account "other"; name one of the same account',
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
  report([
    [
      'has a time zone',
      '    timeZone: America/Sao_Paulo\n',
      '',
      [
        'accounts.acme.timeZone: is missing: the campaign "back" uses it for contacts whose time zone is unknown; write a name of the IANA list, for example America/Sao_Paulo',
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
        'accounts.acme.optOut.words[0]: is punctuation only, which Sluice ignores in replies; write a word, for example sair',
        'accounts.acme.optOut.words[3]: is punctuation only, which Sluice ignores in replies; write a word, for example sair',
      ],
    ],
  ]);
});

describe('windows', () => {
  report([
    [
      'without any day',
      'days: { mon: [09:00-12:00, 14:00-18:00], sat: [22:00-02:00] }',
      'days: {}',
      [
        'campaigns.back.windows.days: has no weekday, so no flow would be triggered; add a weekday, for example mon: [09:00-18:00]',
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
        'campaigns.back.windows.days.mon[1]: 14:00-14:00 ends when it starts; write 00:00-24:00 for the whole day, or remove it',
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
        'campaigns.back.end: the campaign would end on 2026-12-01T11:59:00Z, before it starts on 2026-12-01T09:00:00-03:00; write a later end',
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
  report([
    [
      'of everybody, by a filter that was forgotten',
      '- { from: cards, status: [lost], closed: { after: 90d, before: 30d } }',
      '- { from: cards }\n      - { from: contacts }\n      - { from: ledger }',
      [
        'campaigns.back.audience[0]: would reach the contacts of all cards; add a filter; to reach all, write status: [open, won, lost]',
        'campaigns.back.audience[1]: would reach all contacts; add a filter; to reach all of one channel, write channel: whatsapp',
        'campaigns.back.audience[2]: would reach everybody in the ledger; add a filter: tags, pipeline, createdBy, silentFor or campaign',
      ],
    ],
    [
      'of stages by name, in no pipeline',
      '- { from: cards, status: [lost], closed: { after: 90d, before: 30d } }',
      '- { from: cards, stage: New }\n      - { from: ledger, stage: New }',
      [
        'campaigns.back.audience[0].stage: names a stage without its pipeline; add `pipeline`, or write the id of the stage',
        'campaigns.back.audience[1].stage: names a stage without its pipeline; add `pipeline`',
      ],
    ],
    [
      'of open cards that were lost and closed',
      'status: [lost], closed: { after: 90d, before: 30d }',
      'status: [open], lostReason: 2, closed: { before: 30d }',
      [
        'campaigns.back.audience[0].lostReason: only a lost card has a lost reason, and status has only open; add lost to status, or remove one of the two',
        'campaigns.back.audience[0].closed: an open card has no closing time; add won or lost to status, or remove one of the two',
      ],
    ],
    [
      'with a tag and without it',
      'status: [lost], closed',
      'tags: [a], withoutTags: [b, a], closed',
      [
        'campaigns.back.audience[0].withoutTags: nobody can have "a" and not have it; remove it from tags or from withoutTags',
      ],
    ],
    [
      'of spans that are swapped, or as long',
      'closed: { after: 90d, before: 30d }',
      'closed: { after: 30d, before: 720h }, inStageSince: { after: 1d, before: 2d }, created: {}',
      [
        'campaigns.back.audience[0].closed: no time is less than 30d ago and more than 720h ago; write the longer span as after, the shorter one as before',
        'campaigns.back.audience[0].inStageSince: no time is less than 1d ago and more than 2d ago; write the longer span as after, the shorter one as before',
        'campaigns.back.audience[0].created: has neither after nor before; add one of them',
      ],
    ],
    [
      'of times that are swapped',
      'closed: { after: 90d, before: 30d }',
      'closed: { after: 2026-10-02T00:00:00-03:00, before: 2026-10-02T00:00:00Z }',
      [
        'campaigns.back.audience[0].closed: no time is after 2026-10-02T00:00:00-03:00 and before 2026-10-02T00:00:00Z; swap the two',
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
