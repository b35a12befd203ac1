// Checks that a poller follows the connection of a campaign whose rules need one. Without a poller, the rule never
// applies.

import type { Say } from '../../../core/config/checks.ts';
import type { ConfigProblem } from '../../../core/config/errors.ts';
import { child, entriesOf } from '../../../core/config/raw.ts';
import type { YamlFile } from '../../../core/config/yaml-file.ts';

type Place = readonly (string | number)[];

export function checkCampaignPollers(
  main: YamlFile,
  account: string | null,
  campaign: unknown,
  say: Say,
): ConfigProblem[] {
  const connection = child(campaign, 'connection');
  if (account === null || typeof connection !== 'number') return [];
  const words = child(child(child(child(main.value, 'accounts'), account), 'optOut'), 'words');
  const listens = Array.isArray(words) && words.length > 0;
  const stop = child(campaign, 'stop');
  const deaf =
    child(stop, 'optOut') === undefined || listens
      ? []
      : [
          say(
            ['stop', 'optOut'],
            `people opt out by a reply, and accounts.${account}.optOut.words is empty`,
            'list the words there, or remove this rule',
          ),
        ];
  if (sees(main, account, connection)) return deaf;
  const needs = [...needsOf(campaign), ...(listens ? [[[], 'replies that opt out'] as const] : [])];
  return [
    ...deaf,
    ...needs.map(([path, what]) =>
      say(
        path,
        `no poller follows connection ${connection} of the account "${account}", so Sluice can't see ${what}`,
        `add one to pollers: { account: ${account} }`,
      ),
    ),
  ];
}

function sees(main: YamlFile, account: string, connection: number): boolean {
  return entriesOf(main, 'pollers').some(
    ([, poller]) =>
      child(poller, 'account') === account &&
      [undefined, connection].includes(child(poller, 'connection') as number | undefined),
  );
}

function needsOf(campaign: unknown): (readonly [Place, string])[] {
  const audience = child(campaign, 'audience');
  return [
    ...(child(child(campaign, 'stop'), 'replies') === undefined
      ? []
      : ([[['stop', 'replies'], 'replies']] as const)),
    ...(child(campaign, 'conversationWindow') === 'open'
      ? ([[['conversationWindow'], 'an open 24-hour window']] as const)
      : []),
    ...(child(child(campaign, 'exclude'), 'openConversation') === true
      ? ([[['exclude', 'openConversation'], 'an open conversation']] as const)
      : []),
    ...(Array.isArray(audience) ? audience : []).flatMap((part: unknown, index) => [
      ...(child(part, 'silentFor') === undefined
        ? []
        : ([[['audience', index, 'silentFor'], 'who has been silent']] as const)),
      ...(child(child(part, 'campaign'), 'replied') === undefined
        ? []
        : ([[['audience', index, 'campaign', 'replied'], 'who replied']] as const)),
    ]),
  ];
}
