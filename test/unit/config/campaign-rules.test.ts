// Campaigns whose rules nobody would ever keep, and whose expressions can't be read.
import { describe, expect, it } from 'vitest';
import { CONFIG_CHECKS } from '../../../src/app/config-checks.ts';
import { type Case, campaignConfigContext, GOOD } from './campaign-config-context.ts';

const { load, problemsOf, report } = campaignConfigContext();

describe('rules that nobody would ever keep', () => {
  const blind = [
    'pollers:\n  inbox: { account: acme, connection: 1 }\n',
    'pollers: { inbox: { account: acme, connection: 2 } }\n',
  ] as const;
  const unseen = (at: string, what: string) =>
    `${at}: no poller follows connection 1 of the account "acme", so Sluice can't see ${what}; add one to pollers: { account: acme }`;

  report([
    [
      'as no poller sees the connection',
      ...blind,
      [
        unseen('campaigns.back', 'replies that opt out'),
        unseen('campaigns.back.audience[2].silentFor', 'who has been silent'),
        unseen('campaigns.back.audience[3].campaign.replied', 'who replied'),
        unseen('campaigns.back.stop.replies', 'replies'),
      ],
    ],
    [
      'as the account has no poller at all',
      'abroad:\n    account: other',
      'abroad:\n    conversationWindow: open\n    exclude: { openConversation: true }\n    account: other',
      ['conversationWindow', 'exclude.openConversation'].map(
        (key) =>
          `campaigns.abroad.${key}: no poller follows connection 1 of the account "other", so Sluice can't see an open ${key === 'conversationWindow' ? '24-hour window' : 'conversation'}; add one to pollers: { account: other }`,
      ),
    ],
    [
      'as no word opts out',
      ', words: [sair]',
      '',
      [
        'campaigns.back.stop.optOut: people opt out by a reply, and accounts.acme.optOut.words is empty; list the words there, or remove this rule',
      ],
    ],
    [
      'as the first wave is too small',
      'canary: 20',
      'canary: 19',
      [
        'campaigns.back.waves.canary: a first wave of 19 is not evaluated: it has less than 20 members; write 20 or more, or set stop.atLeast to 19 or less',
      ],
    ],
    [
      'as all waves are too small',
      'size: [50, 100]',
      'size: [5, 19]',
      [
        'campaigns.back.stop.atLeast: no wave has more than 19 members, and waves of less than 20 are not evaluated; set stop.atLeast to 19 or less, or make a wave larger',
      ],
    ],
    [
      'as nobody has time to answer',
      'settle: 1h',
      'settle: 0s',
      [
        'campaigns.back.waves.settle: a wave would be evaluated by its replies before anybody can reply; give people time to reply, for example 1h',
      ],
    ],
    [
      'as they say how often and not when',
      'humanService: { retryAfter: 2h }',
      'humanService: { times: 3 }',
      [
        'campaigns.back.humanService.times: needs humanService.retryAfter; set humanService.retryAfter, for example 2h, or remove it',
      ],
    ],
    [
      'as they take everybody out for good',
      'tags: [reached]',
      'tags: [reached, leave-me]',
      [
        'campaigns.back.after.tags[1]: "leave-me" would exclude each member from every later campaign: it is in accounts.acme.optOut.tags; use another tag, and add it to exclude.tags',
      ],
    ],
    [
      'as no flow has such variables',
      '{ first_name: contact.name }',
      '{ "{{name}}": contact.name, " name": contact.name }',
      ['["{{name}}"]', '[" name"]'].map(
        (key) =>
          `campaigns.back.variables${key}: is not a possible name of a flow variable; write the name without braces or surrounding spaces`,
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
      ['defaultCountry', 'is not a country with phone numbers'],
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
      ['audience[0].stage', 'names a stage without its pipeline'],
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

  const way = 'use contact.name, for example, or set a default';
  const none = 'nobody has it, so everybody would be excluded: this audience has';
  const blind = (keys: string, has: string) =>
    [...keys].map((key) => `campaigns.abroad.variables.${key}: ${none} ${has}; ${way}`);
  report([
    [
      'search for what contacts do not have',
      'flow: 1',
      'flow: 1\n    variables: { a: name, b: { path: Name }, c: "Dear {{name}}", d: [name, Name], e: card.title }',
      blind('abcde', 'contact.… only'),
    ],
    [
      'search for what neither cards nor contacts have',
      'flow: 1\n    connection: 1\n    audience: [',
      'flow: 1\n    connection: 1\n    variables: { a: card.title, b: title }\n    audience: [{ from: cards, status: [lost] }, ',
      blind('b', 'card.… and contact.… only'),
    ],
    [
      'search for a zone that nobody has',
      'days: { mon: [00:00-24:00] }',
      'zone: { field: zone }, days: { mon: [00:00-24:00] }',
      [
        'campaigns.abroad.windows.zone.field: nobody has it: this audience has contact.… only; use a field of the contact, or write zone: number',
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
  const text = GOOD.replace('flow: 3', 'flow: -3')
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
