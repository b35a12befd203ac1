// Checks a campaign against itself: windows that never open, waves too small to be evaluated, variables that no flow has.
// It reads the raw value part by part, so that a mistake elsewhere in the file does not hide one here.

import { durationMs } from '../../../core/config/base.ts';
import type { CheckProblem, Say } from '../../../core/config/checks.ts';
import type { ConfigProblem } from '../../../core/config/errors.ts';
import { child, entriesOf, isRecord } from '../../../core/config/raw.ts';
import type { YamlFile } from '../../../core/config/yaml-file.ts';
import { CampaignConfig } from '../config.ts';
import { checkAudience } from './audience.ts';
import { checkCampaignPollers } from './pollers.ts';
import { checkVariables } from './variables.ts';

const { windows: Windows, waves: Waves, stop: Stop, start: Instant } = CampaignConfig.shape;

export type CheckCampaign = (campaign: CampaignConfig) => readonly CheckProblem[];

export function checkCampaigns(main: YamlFile, check: CheckCampaign | undefined): ConfigProblem[] {
  const campaigns = entriesOf(main, 'campaigns');
  return [
    ...checkZones(main, campaigns),
    ...checkOptOuts(main),
    ...campaigns.flatMap(([name, campaign]) => {
      const say: Say = (path, ...words) => main.problemAt(['campaigns', name, ...path], ...words);
      const account = knownAccount(main, campaign);
      const parsed = check === undefined ? undefined : CampaignConfig.safeParse(campaign);
      return [
        ...checkWindows(child(campaign, 'windows'), say),
        ...checkSpan(campaign, say),
        ...checkWaves(child(campaign, 'waves'), child(campaign, 'stop'), say),
        ...checkRest(main, account, campaign, say),
        ...checkAudience(main, account, campaign, say),
        ...checkCampaignPollers(main, account, campaign, say),
        ...checkVariables(campaign, say),
        ...(parsed?.success === true ? (check?.(parsed.data) ?? []) : []).map(({ path, message, hint }) =>
          main.problemAt(['campaigns', name, ...path], message, hint),
        ),
      ];
    }),
  ];
}

/** Null when there is no such account; another check reports that. */
function knownAccount(main: YamlFile, campaign: unknown): string | null {
  const account = child(campaign, 'account');
  const known = entriesOf(main, 'accounts').some(([name]) => name === account);
  return typeof account === 'string' && known ? account : null;
}

/** The time zone of the account is the fallback for contacts whose own zone is unknown. There is no safe default. */
function checkZones(main: YamlFile, campaigns: readonly [string, unknown][]): ConfigProblem[] {
  return entriesOf(main, 'accounts').flatMap(([account, entry]) => {
    const [first] = campaigns.find(([, campaign]) => child(campaign, 'account') === account) ?? [];
    if (first === undefined || child(entry, 'timeZone') !== undefined) return [];
    const message = `is missing: the campaign "${first}" uses it for contacts whose time zone is unknown`;
    const hint = 'write a name of the IANA list, for example America/Sao_Paulo';
    return [main.problemAt(['accounts', account, 'timeZone'], message, hint)];
  });
}

/** What a reply is compared by: letters, digits and emoji. Punctuation is ignored. */
const SAYS_SOMETHING = /[^\s\p{P}\p{M}\p{Cf}\p{Emoji_Modifier}`´]/u;

/** A word of punctuation only would never match. */
function checkOptOuts(main: YamlFile): ConfigProblem[] {
  return entriesOf(main, 'accounts').flatMap(([account, entry]) => {
    const words = child(child(entry, 'optOut'), 'words');
    return (Array.isArray(words) ? words : []).flatMap((word: unknown, index) =>
      typeof word !== 'string' || word === '' || SAYS_SOMETHING.test(word)
        ? []
        : [
            main.problemAt(
              ['accounts', account, 'optOut', 'words', index],
              'is punctuation only, which Sluice ignores in replies',
              'write a word, for example sair',
            ),
          ],
    );
  });
}

function checkWindows(windows: unknown, say: Say): ConfigProblem[] {
  const days = child(windows, 'days');
  if (!isRecord(days)) return [];
  if (Object.keys(days).length === 0) {
    const hint = 'add a weekday, for example mon: [09:00-18:00]';
    const note = { code: 'CONFIG_NO_DAY', params: {} };
    return [say(['windows', 'days'], 'has no weekday, so no flow would be triggered', hint, note)];
  }
  // Another check reports what is not a range.
  const { success, data } = Windows.shape.days.safeParse(days);
  if (!success) return [];
  return Object.entries(data).flatMap(([day, ranges]) =>
    (ranges ?? []).flatMap((range, index) => {
      const [from, to] = range.split('-');
      if (from !== to) return [];
      const hint = 'write 00:00-24:00 for the whole day, or remove it';
      const note = { code: 'CONFIG_HOURS_SAME', params: { range } };
      return [say(['windows', 'days', day, index], `${range} ends when it starts`, hint, note)];
    }),
  );
}

function checkSpan(campaign: unknown, say: Say): ConfigProblem[] {
  const [start, end] = ['start', 'end'].map((key) => Instant.safeParse(child(campaign, key)).data);
  if (start === undefined || end === undefined || new Date(start) < new Date(end)) return [];
  return [
    say(['end'], `the campaign would end on ${end}, before it starts on ${start}`, 'write a later end', {
      code: 'CONFIG_END_FIRST',
      params: { endAt: end, startAt: start },
    }),
  ];
}

/** If no wave is large enough to be evaluated by its shares, no stop rule ever applies. */
function checkWaves(waves: unknown, stop: unknown, say: Say): ConfigProblem[] {
  const [sizes, rules] = [Waves.safeParse(waves), Stop.safeParse(stop)];
  if (!sizes.success || !rules.success) return [];
  const { canary, size, settle } = sizes.data;
  const { atLeast, ...shares } = rules.data;
  if (Object.keys(shares).length === 0) return [];
  const largest = Math.max(...(typeof size === 'number' ? [size] : size));
  const problems: ConfigProblem[] = [];
  if (largest < atLeast) {
    const message = `no wave has more than ${largest} members, and waves of less than ${atLeast} are not evaluated`;
    problems.push(
      say(['stop', 'atLeast'], message, `set stop.atLeast to ${largest} or less, or make a wave larger`),
    );
  } else if (canary !== undefined && canary < atLeast) {
    const message = `a first wave of ${canary} is not evaluated: it has less than ${atLeast} members`;
    const hint = `write ${atLeast} or more, or set stop.atLeast to ${canary} or less`;
    problems.push(say(['waves', 'canary'], message, hint));
  }
  if (shares.replies !== undefined && durationMs(settle) === 0) {
    const message = 'a wave would be evaluated by its replies before anybody can reply';
    problems.push(say(['waves', 'settle'], message, 'give people time to reply, for example 1h'));
  }
  return problems;
}

function checkRest(main: YamlFile, account: string | null, campaign: unknown, say: Say): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const patience = child(campaign, 'humanService');
  if (child(patience, 'times') !== undefined && child(patience, 'retryAfter') === undefined) {
    const hint = 'set humanService.retryAfter, for example 2h, or remove it';
    problems.push(say(['humanService', 'times'], 'needs humanService.retryAfter', hint));
  }
  for (const name of Object.keys(recordOf(child(campaign, 'variables')))) {
    if (name === '' || !/^\s|\s$|[{}\p{Cc}]/u.test(name)) continue;
    const message = 'is not a possible name of a flow variable';
    problems.push(say(['variables', name], message, 'write the name without braces or surrounding spaces'));
  }
  if (account === null) return problems;
  const optOut = child(child(child(child(main.value, 'accounts'), account), 'optOut'), 'tags');
  const tags = child(child(campaign, 'after'), 'tags');
  for (const [index, tag] of (Array.isArray(tags) ? tags : []).entries()) {
    if (typeof tag !== 'string' || !Array.isArray(optOut) || !optOut.includes(tag)) continue;
    const message = `"${tag}" would exclude each member from every later campaign: it is in accounts.${account}.optOut.tags`;
    problems.push(say(['after', 'tags', index], message, 'use another tag, and add it to exclude.tags'));
  }
  return problems;
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
