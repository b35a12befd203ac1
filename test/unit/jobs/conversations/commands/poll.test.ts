// `sluice poll`: which poller a name means, and how pollers and gaps are shown.
import { describe, expect, it } from 'vitest';
import { listOf } from '../../../../../src/cli/lib/terminal/table.ts';
import { Config } from '../../../../../src/config/schema/config.ts';
import {
  describePollers,
  gapColumns,
} from '../../../../../src/jobs/conversations/commands/describe-poller.ts';
import {
  knownNames,
  mergePollers,
  resolvePoller,
} from '../../../../../src/jobs/conversations/operator/find.ts';
import type { StoredPoller } from '../../../../../src/jobs/conversations/store/pollers.ts';

const { pollers } = Config.parse({
  version: 1,
  accounts: {},
  pollers: { main: { account: 'acme' }, second: { account: 'other' } },
});
const opened = { config: { pollers }, file: 'sluice.yaml' };

const STATUS: StoredPoller = {
  account: 'acme',
  poller: 'main',
  state: 'polling',
  blocked: null,
  paused: null,
  since: null,
  watermark: '2026-11-22T10:00:00.000Z',
  history: false,
  conversations: 300,
  todo: 12,
  lagSeconds: 75,
  polls: 1234,
  calls: 5678,
  messages: 1000,
  gaps: 0,
  unread: 0,
  polledAt: '2026-11-22T10:00:05.000Z',
  newsAt: null,
  startedAt: '2026-11-20T10:00:00.000Z',
};
const show = (...known: StoredPoller[]) => describePollers(mergePollers(pollers, known), 'America/Sao_Paulo');

describe('a name', () => {
  it('means the poller of the configuration, or any poller with its account before it', () => {
    expect(resolvePoller(() => pollers, 'main')).toEqual({ account: 'acme', poller: 'main' });
    expect(resolvePoller(() => pollers, 'gone/main')).toEqual({ account: 'gone', poller: 'main' });
  });

  it.each([
    ['mian', 'there is no poller "mian"; did you mean "main"?'],
    ['constructor', 'there is no poller "constructor"; pollers: main, second'],
    ['', 'there is no poller ""; pollers: main, second'],
  ])('that is unknown ends with not found and a fix: "%s"', (name, message) => {
    const unknown = expect.objectContaining({ name: 'UnknownNameError', message });
    expect(() => resolvePoller(() => pollers, name)).toThrow(unknown);
    expect(() => knownNames(opened, ['main', name])).toThrow(unknown);
  });

  it('that is given twice starts one poller; none starts all', () => {
    expect(knownNames(opened, ['second', 'second'])).toEqual(['second']);
    expect(knownNames(opened, undefined)).toEqual(['main', 'second']);
    expect(() => knownNames({ ...opened, config: { pollers: {} } }, undefined)).toThrow(
      'sluice.yaml has no pollers',
    );
  });
});

describe('pollers', () => {
  it('stand in a table, the last poll with its zone, and what was never started says so', () => {
    expect(show(STATUS)).toEqual([
      'poller  account  state           lag  todo  polls  calls  messages  gaps  last poll',
      'main    acme     polling  1 min 15 s    12  1,234  5,678     1,000     0  2026-11-22 07:00:05 -03:00',
      'second  other    stopped           –     0      0      0         0     0  –',
      '  never started: `sluice poll start second`',
    ]);
  });

  it('say what blocks them, and what to do', () => {
    const blocked = { code: 'ERR_TOKEN_REVOKED', reason: 'the token was revoked' };
    const paused = { by: 'ana', reason: '', at: '2026-11-22T10:00:00.000Z' };
    const lines = show({ ...STATUS, state: 'paused', blocked, paused, history: true, gaps: 2, unread: 1 });
    expect(lines.slice(2, 7)).toEqual([
      '  paused by ana at 2026-11-22 07:00:00 -03:00: no reason given',
      '  blocked: the token was revoked [ERR_TOKEN_REVOKED]; correct it, then `sluice poll resume main` retries at once',
      '  older pages are still to be read, with calls that nobody else wants',
      '  1 conversation could not be read in full; campaigns that depend on replies skip these people',
      '  something may be missing: `sluice poll gaps main`',
    ]);
  });

  it('say the code of what blocks them once', () => {
    const code = 'ERR_SCOPE_MISSING';
    const reason = `${code}: GET /v1/conversations answered 403 ${code}: the token lacks the scope conversations:read`;
    const blocked = { code, reason };
    expect(show({ ...STATUS, state: 'blocked', blocked })[2]).toMatch(
      /^ {2}blocked: GET [^:]* answered 403 ERR_SCOPE_MISSING: the token lacks the scope conversations:read; correct it/,
    );
  });

  it('that left the configuration, or changed their account, are named so that they can be stopped', () => {
    const lines = show({ ...STATUS, account: 'former' });
    expect(lines.filter((line) => line.includes('not in this'))).toEqual([
      '  not in this configuration: `sluice poll stop former/main` ends it',
    ]);
    expect(lines).toContain('  never started: `sluice poll start main`');
  });
});

describe('a gap', () => {
  const gap = {
    id: 1,
    account: 'acme',
    poller: 'main',
    code: 'WINDOW',
    reason: 'the page moved too fast',
    seen: 1,
    after: null,
    before: '2026-11-22T10:00:00.000Z',
    at: '2026-11-22T10:00:01.000Z',
  };

  it.each([
    [null, 1, 'list of conversations', 'seen once'],
    [77, 1200, 'conversation 77', 'seen 1,200 times'],
  ])('is one line, and says where and when: %s', (conversation, seen, where, often) => {
    expect(listOf(gapColumns('UTC'), [{ ...gap, conversation, seen }], { stream: {}, page: 1 })).toEqual([
      `acme/main\t2026-11-22 10:00:01 UTC\t${where}\t… to 2026-11-22 10:00:00 UTC\t${often}\tWINDOW\tthe page moved too fast`,
    ]);
  });
});
