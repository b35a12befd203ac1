// Mistakes in the part `notices` of sluice.yaml are refused with their place.
import { expect, it } from 'vitest';
import { describeSummary } from '../../../../src/config/describe-summary.ts';
import { loadConfigText } from '../../../../src/config/load.ts';
import { summarize } from '../../../../src/config/summary.ts';
import { ConfigError } from '../../../../src/core/config/errors.ts';

const BASE =
  'version: 1\naccounts: { acme: { baseUrl: "https://acme.example.com/wapi", tokens: [env:T] } }\nnotices:\n  ops:\n';

async function problemsOf(channel: readonly string[]): Promise<string[]> {
  const text = `${BASE}${channel.map((line) => `    ${line}\n`).join('')}`;
  try {
    await loadConfigText('/nowhere/sluice.yaml', text, { env: {} });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ line, path, message }) => `${line} ${path}: ${message}`);
  }
}

const MAIL = ['type: email', 'from: a@example.com', 'to: [b@example.com]'];
it.each<[string, string[], RegExp | null]>([
  ['a webhook with a reference', ['type: webhook', 'url: env:HOOK'], null],
  ['a webhook on this machine', ['type: webhook', 'url: http://127.0.0.1:9000/hook'], null],
  ['an insecure webhook', ['type: webhook', 'url: http://hooks.example.com/x', 'insecure: true'], null],
  [
    'http:// to another machine',
    ['type: webhook', 'url: http://hooks.example.com/x'],
    /^6 notices\.ops\.url: .*unencrypted/,
  ],
  [
    'a secret in the query',
    ['type: webhook', 'url: https://hooks.example.com/x?sig=1'],
    /^6 notices\.ops\.url: .*reference/,
  ],
  ['no URL', ['type: webhook', 'url: hooks.example.com'], /^6 notices\.ops\.url: /],
  ['an unknown format', ['type: webhook', 'url: env:HOOK', 'format: sms'], /^7 notices\.ops\.format: /],
  ['an unknown type', ['type: sms'], /^5 notices\.ops\.type: /],
  [
    'a user without a password',
    [...MAIL, 'server: smtp://mail.example.com', 'user: a'],
    /notices\.ops\.password: .*belong together/,
  ],
  [
    'a password in the server',
    [...MAIL, 'server: smtp://a:b@mail.example.com'],
    /^8 notices\.ops\.server: .*credentials/,
  ],
  [
    'a name that is no address',
    ['type: email', 'server: smtps://m', 'from: a@example.com', 'to: [ops]'],
    /^8 notices\.ops\.to\[0\]: .*e-mail address/,
  ],
  ['a command as text', ['type: command', 'command: page --now'], /^6 notices\.ops\.command: /],
  [
    'a time that is no time',
    ['type: command', 'command: [p]', 'quiet: { from: "24:00", to: "07:00", timeZone: UTC }'],
    /^7 notices\.ops\.quiet\.from: .*HH:MM/,
  ],
  [
    'quiet hours without end',
    ['type: command', 'command: [p]', 'quiet: { from: "07:00", to: "07:00", timeZone: UTC }'],
    /^7 notices\.ops\.quiet\.to: .*never end/,
  ],
  [
    'an unknown zone',
    ['type: command', 'command: [p]', 'quiet: { from: "22:00", to: "07:00", timeZone: Sao_Paulo }'],
    /^7 notices\.ops\.quiet\.timeZone: /,
  ],
  ['a duration out of bounds', ['type: command', 'command: [p]', 'after: 2d'], /^7 notices\.ops\.after: /],
])('%s', async (_, channel, problem) => {
  const problems = await problemsOf(channel);
  if (problem === null) expect(problems).toEqual([]);
  else expect(problems).toEqual([expect.stringMatching(problem)]);
});

it('`config check` lists the channels by name and kind, and no path of a URL, which may be secret', async () => {
  const text = `${BASE.replace('  ops:\n', '')}  chat: { type: webhook, url: env:HOOK, format: slack }
  hook: { type: webhook, url: https://hooks.example.com/CANARY, token: env:TOKEN }
  mail: { type: email, server: smtp://mail.example.com:587, from: a@example.com, to: [b@example.com] }
  page: { type: command, command: [/bin/page, CANARY] }
`;
  const loaded = await loadConfigText('/nowhere/sluice.yaml', text, { env: { TOKEN: 'CANARY' } });
  const lines = describeSummary(await summarize(loaded));
  expect(lines.filter((line) => line.startsWith('  notices  '))).toEqual([
    '  notices  chat  webhook as slack, env:HOOK NOT FOUND',
    '  notices  hook  webhook as json, hooks.example.com, env:TOKEN found',
    '  notices  mail  email over mail.example.com:587',
    '  notices  page  command',
  ]);
  expect(lines.join()).not.toContain('CANARY');
});
