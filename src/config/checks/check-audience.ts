// Whom a campaign searches for: filters that find nobody, or everybody, and people of another account.
import { CampaignConfig, CardsAudience } from '../../contracts/config/config.ts';
import { durationMs } from '../../contracts/config/config-base.ts';
import type { ConfigProblem } from '../errors.ts';
import { child } from '../json-schema.ts';
import { isRecord } from '../raw.ts';
import type { YamlFile } from '../yaml-file.ts';
import type { Say } from './check-campaigns.ts';

const SPANS = ['created', 'closed', 'inStageSince'] as const;

/** Whoever writes no filter has forgotten one more often than meant all. */
const ALL: Readonly<Record<string, readonly [who: string, hint: string]>> = {
  cards: ['the contacts of all cards', 'say which; if all are meant, write status: [open, won, lost]'],
  contacts: ['all contacts', 'say which; if all of a channel are meant, write channel: whatsapp'],
  ledger: ['everybody that Sluice knows', 'say whom: by tags, pipeline, createdBy, silentFor or campaign'],
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

function checkPart(part: unknown, say: Say): ConfigProblem[] {
  if (!isRecord(part) || typeof part.from !== 'string') return [];
  const all = Object.keys(part).length === 1 && Object.hasOwn(ALL, part.from) ? ALL[part.from] : undefined;
  if (all !== undefined) return [say([], `would reach ${all[0]}`, all[1])];
  const problems: ConfigProblem[] = [];
  const named = part.from === 'ledger' ? part.stage !== undefined : typeof part.stage === 'string';
  if ((part.from === 'cards' || part.from === 'ledger') && named && part.pipeline === undefined) {
    const hint = part.from === 'cards' ? 'add `pipeline`, or write the id of the stage' : 'add `pipeline`';
    problems.push(say(['stage'], 'a stage by name is one of a pipeline, and no pipeline is named', hint));
  }
  return part.from === 'cards' ? [...problems, ...checkCards(part, say)] : problems;
}

function checkCards(part: Record<string, unknown>, say: Say): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const status = CardsAudience.shape.status.safeParse(part.status).data;
  if (status !== undefined && !status.includes('lost') && part.lostReason !== undefined) {
    const message = `no card that is ${status.join(' or ')} has a reason why it was lost`;
    problems.push(say(['lostReason'], message, 'add lost to status, or leave one of the two out'));
  }
  if (status !== undefined && status.every((one) => one === 'open') && part.closed !== undefined) {
    const hint = 'add won or lost to status, or leave one of the two out';
    problems.push(say(['closed'], 'no card that is open has been closed', hint));
  }
  const tags: unknown[] = Array.isArray(part.tags) ? part.tags : [];
  const without: unknown[] = Array.isArray(part.withoutTags) ? part.withoutTags : [];
  if (tags.length > 0 && tags.every((tag) => without.includes(tag))) {
    const message = `nobody has "${String(tags[0])}" and is without it`;
    problems.push(say(['withoutTags'], message, 'leave it out of tags or of withoutTags'));
  }
  return [...problems, ...SPANS.flatMap((key) => checkBetween(key, part[key], say))];
}

/**
 * A time is measured against a time, a span against a span: of one of each, the calendar decides which is earlier, and
 * a configuration must not turn wrong by waiting.
 */
function checkBetween(key: (typeof SPANS)[number], value: unknown, say: Say): ConfigProblem[] {
  if (!isRecord(value)) return [];
  if (Object.keys(value).length === 0)
    return [say([key], 'says neither after nor before', 'add one of them')];
  const { success, data } = CardsAudience.shape[key].safeParse(value);
  if (!success || data?.after === undefined || data.before === undefined) return [];
  const { after, before } = data;
  const [late, early] = [isSpan(after), isSpan(before)];
  if (late !== early) return [];
  if (late && durationMs(after) <= durationMs(before)) {
    const message = `nothing lies less than ${after} and more than ${before} ago`;
    return [say([key], message, 'the longer span belongs to after, the shorter one to before')];
  }
  if (!late && new Date(after) > new Date(before)) {
    return [say([key], `nothing lies after ${after} and before ${before}`, 'swap the two')];
  }
  return [];
}

function isSpan(moment: string): boolean {
  return /^\d+[a-z]+$/.test(moment);
}

/** Contacts are of one account: what was done in another one concerns other people. */
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
        `the campaign "${String(campaign)}" is of the account "${owner}"`,
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
        `the campaign "${name}" is of the account "${owner}"`,
        ACCOUNT_HINT,
      ),
    ),
  );
}

/** The account of the entry, when it is another one; a name that nobody has is told of elsewhere. */
function foreign(main: YamlFile, section: string, name: unknown, account: string | null): string[] {
  if (typeof name !== 'string' || account === null) return [];
  const owner = child(child(child(main.value, section), name), 'account');
  return typeof owner === 'string' && owner !== account ? [owner] : [];
}
