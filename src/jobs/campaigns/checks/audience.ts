// Checks the audience of a campaign: filters that match nobody or everybody, and members of another account.

import { durationMs } from '../../../core/config/base.ts';
import type { Say } from '../../../core/config/checks.ts';
import type { ConfigProblem } from '../../../core/config/errors.ts';
import { child, isRecord } from '../../../core/config/raw.ts';
import type { YamlFile } from '../../../core/config/yaml-file.ts';
import { CampaignConfig, CardsAudience } from '../config.ts';

const SPANS = ['created', 'closed', 'inStageSince'] as const;

/** An audience part without a filter is refused: it is more often a mistake than an intention. */
const ALL: Readonly<Record<string, readonly [who: string, hint: string]>> = {
  cards: ['the contacts of all cards', 'add a filter; to reach all, write status: [open, won, lost]'],
  contacts: ['all contacts', 'add a filter; to reach all of one channel, write channel: whatsapp'],
  ledger: ['everybody in the ledger', 'add a filter: tags, pipeline, createdBy, silentFor or campaign'],
};

export function checkAudience(
  main: YamlFile,
  account: string | null,
  campaign: unknown,
  say: Say,
): ConfigProblem[] {
  const parts = child(campaign, 'audience');
  return [
    ...(Array.isArray(parts) ? parts : []).flatMap((part: unknown, index) => {
      const at: Say = (path, ...words) => say(['audience', index, ...path], ...words);
      return [...checkPart(part, at), ...checkOwner(main, account, part, at)];
    }),
    ...checkExcluded(main, account, child(child(campaign, 'exclude'), 'campaigns'), say),
  ];
}

const note = (code: string) => ({ code, params: {} });

function checkPart(part: unknown, say: Say): ConfigProblem[] {
  if (!isRecord(part) || typeof part.from !== 'string') return [];
  const all = Object.keys(part).length === 1 && Object.hasOwn(ALL, part.from) ? ALL[part.from] : undefined;
  if (all !== undefined) return [say([], `would reach ${all[0]}`, all[1], note('CONFIG_NO_FILTER'))];
  const problems: ConfigProblem[] = [];
  const named = part.from === 'ledger' ? part.stage !== undefined : typeof part.stage === 'string';
  if ((part.from === 'cards' || part.from === 'ledger') && named && part.pipeline === undefined) {
    const hint = part.from === 'cards' ? 'add `pipeline`, or write the id of the stage' : 'add `pipeline`';
    problems.push(say(['stage'], 'names a stage without its pipeline', hint, note('CONFIG_STAGE_PIPELINE')));
  }
  return part.from === 'cards' ? [...problems, ...checkCards(part, say)] : problems;
}

function checkCards(part: Record<string, unknown>, say: Say): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const status = CardsAudience.shape.status.safeParse(part.status).data;
  if (status !== undefined && !status.includes('lost') && part.lostReason !== undefined) {
    const message = `only a lost card has a lost reason, and status has only ${status.join(' and ')}`;
    problems.push(say(['lostReason'], message, 'add lost to status, or remove one of the two'));
  }
  if (status !== undefined && status.every((one) => one === 'open') && part.closed !== undefined) {
    const hint = 'add won or lost to status, or remove one of the two';
    problems.push(say(['closed'], 'an open card has no closing time', hint));
  }
  const tags: unknown[] = Array.isArray(part.tags) ? part.tags : [];
  const without: unknown[] = Array.isArray(part.withoutTags) ? part.withoutTags : [];
  if (tags.length > 0 && tags.every((tag) => without.includes(tag))) {
    const message = `nobody can have "${String(tags[0])}" and not have it`;
    problems.push(say(['withoutTags'], message, 'remove it from tags or from withoutTags'));
  }
  return [...problems, ...SPANS.flatMap((key) => checkBetween(key, part[key], say))];
}

/**
 * Compares a time with a time, and a span with a span. A time and a span are not compared: the result would depend on
 * today's date, so a valid configuration could become invalid by waiting.
 */
function checkBetween(key: (typeof SPANS)[number], value: unknown, say: Say): ConfigProblem[] {
  if (!isRecord(value)) return [];
  if (Object.keys(value).length === 0) return [say([key], 'has neither after nor before', 'add one of them')];
  const { success, data } = CardsAudience.shape[key].safeParse(value);
  if (!success || data?.after === undefined || data.before === undefined) return [];
  const { after, before } = data;
  const [late, early] = [isSpan(after), isSpan(before)];
  if (late !== early) return [];
  if (late && durationMs(after) <= durationMs(before)) {
    const message = `no time is less than ${after} ago and more than ${before} ago`;
    return [say([key], message, 'write the longer span as after, the shorter one as before')];
  }
  if (!late && new Date(after) > new Date(before)) {
    return [say([key], `no time is after ${after} and before ${before}`, 'swap the two')];
  }
  return [];
}

function isSpan(moment: string): boolean {
  return /^\d+[a-z]+$/.test(moment);
}

/** Contacts belong to one account: what another account did concerns other people. */
function checkOwner(main: YamlFile, account: string | null, part: unknown, say: Say): ConfigProblem[] {
  if (child(part, 'from') !== 'ledger') return [];
  const sync = child(part, 'createdBy');
  const campaign = child(child(part, 'campaign'), 'name');
  return [
    ...foreign(main, 'syncs', sync, account).map((owner) =>
      say(['createdBy'], `the sync "${String(sync)}" writes into the account "${owner}"`, ACCOUNT_HINT),
    ),
    ...foreign(main, 'campaigns', campaign, account).map((owner) =>
      say(
        ['campaign', 'name'],
        `the campaign "${String(campaign)}" belongs to the account "${owner}"`,
        ACCOUNT_HINT,
      ),
    ),
  ];
}

const ACCOUNT_HINT = 'name one of the same account';

function checkExcluded(main: YamlFile, account: string | null, names: unknown, say: Say): ConfigProblem[] {
  const { success, data } = CampaignConfig.shape.exclude.unwrap().shape.campaigns.safeParse(names);
  if (!success) return [];
  return (data ?? []).flatMap((name, index) =>
    foreign(main, 'campaigns', name, account).map((owner) =>
      say(
        ['exclude', 'campaigns', index],
        `the campaign "${name}" belongs to the account "${owner}"`,
        ACCOUNT_HINT,
      ),
    ),
  );
}

/** The account of the entry, when it is another one. Another check reports a name that does not exist. */
function foreign(main: YamlFile, section: string, name: unknown, account: string | null): string[] {
  if (typeof name !== 'string' || account === null) return [];
  const owner = child(child(child(main.value, section), name), 'account');
  return typeof owner === 'string' && owner !== account ? [owner] : [];
}
