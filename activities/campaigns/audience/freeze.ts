// Freezes the audience of a campaign: decides for each person found whether they are excluded, in the control group,
// or waiting.
import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { durationMs } from '../../../src/core/config/base.ts';
import { personSubject } from '../../../src/core/ids.ts';
import type { CampaignSpec } from '../../../src/jobs/campaigns/contract/batches.ts';
import { excludedKeys } from '../../../src/jobs/campaigns/rules/audience-row.ts';
import { type Calendar, compileCalendar } from '../../../src/jobs/campaigns/rules/calendar.ts';
import { readsMessages } from '../../../src/jobs/campaigns/rules/reliance.ts';
import { zoneFinder, zonesText } from '../../../src/jobs/campaigns/rules/zones.ts';
import { barNumbers, progressOf } from '../../../src/jobs/campaigns/store/audience.ts';
import { type CampaignRow, getCampaign, lockCampaign } from '../../../src/jobs/campaigns/store/campaigns.ts';
import {
  type Candidate,
  candidates,
  contactedByEvents,
  type Decision,
  endFreeze,
  type FreezeRules,
  placeOf,
  saveDecisions,
  saveFreeze,
  type Verdict,
} from '../../../src/jobs/campaigns/store/freeze.ts';
import { subjectHash } from '../../../src/jobs/events/store/events.ts';
import type { Deps } from '../../shared/deps.ts';
import { requirePlanning } from './failures.ts';
import { type AccountLists, accountLists, tagOf } from './names.ts';
import { readsExcludedNumbers } from './rows.ts';

/** Number of members decided in one transaction; takes about 0.3 s. */
const CHUNK = 5000;

/**
 * Decides all members that were found, in one pass. An interrupted attempt is continued where it stopped.
 * @throws ApplicationFailure for tags that the account lacks
 */
export async function freeze(deps: Deps, run: string): Promise<void> {
  const { db } = deps;
  const campaign = await getCampaign(db, run);
  if (campaign.planned_at !== null) return;
  requirePlanning(campaign);
  requireRead(campaign);
  const { spec, account } = campaign;
  const rules = rulesOf(campaign, await accountLists(db, account));
  const decide = await decider(deps, campaign, rules);
  if (frozenUpTo(campaign) === 0)
    await db.transaction((tx) => barNumbers(tx, run, excludedKeys(spec.config)));
  for (let after: number | null = frozenUpTo(campaign); after !== null; ) {
    Context.current().cancellationSignal.throwIfAborted();
    const from = after;
    after = await db.transaction(async (tx) => {
      const locked = await lockCampaign(tx, run);
      // Another attempt has already frozen the audience.
      if (locked.planned_at !== null) return null;
      requirePlanning(locked);
      if (frozenUpTo(locked) !== from) return frozenUpTo(locked);
      const found = await candidates(tx, rules, from, CHUNK);
      const last = found.at(-1);
      if (last === undefined) return null;
      await saveDecisions(tx, rules, found.map(decide));
      await saveFreeze(tx, run, last.id);
      return last.id;
    });
  }
  const at = new Date(await deps.clock.now());
  await db.transaction(async (tx) => {
    const locked = await lockCampaign(tx, run);
    if (locked.planned_at !== null) return;
    requirePlanning(locked);
    await endFreeze(tx, run, at);
  });
}

function frozenUpTo({ parts }: Pick<CampaignRow, 'parts'>): number {
  return (parts.frozen as number | undefined) ?? 0;
}

/** Refuses to freeze an audience that has not been read completely. */
function requireRead({ spec, parts, run_id }: CampaignRow): void {
  const count = spec.config.audience.length + (readsExcludedNumbers(spec) ? 1 : 0);
  for (let part = 0; part < count; part++) {
    if (progressOf(parts, part)?.done !== true)
      throw new Error(`part ${part} of the audience of ${run_id} has not been read completely`);
  }
}

/** @throws ApplicationFailure for tags that the account lacks */
export function rulesOf(
  { spec, as_of, run_id }: Pick<CampaignRow, 'spec' | 'as_of' | 'run_id'>,
  lists: AccountLists,
): FreezeRules {
  const { config, optOut, account } = spec;
  const { exclude, cap } = config;
  const ago = (duration: string) => new Date(as_of.getTime() - durationMs(duration));
  const tags = (names: readonly string[] | undefined, where: string) =>
    (names ?? []).map((name) => ({ id: tagOf(lists, name, where).id, name }));
  return {
    account,
    run: run_id,
    variables: Object.keys(config.variables),
    optOutTags: tags(optOut.tags, `accounts.${account}.optOut.tags`),
    excludedTags: tags(exclude.tags, 'exclude.tags'),
    campaigns: exclude.campaigns ?? [],
    contactedSince: exclude.contactedWithin === undefined ? null : ago(exclude.contactedWithin),
    openConversation: exclude.openConversation,
    humanService: exclude.humanService,
    readsMessages: readsMessages(spec),
    cap: { times: cap.times, since: ago(cap.within), within: cap.within },
  };
}

export async function decider(
  { db }: Pick<Deps, 'db'>,
  { spec, as_of }: Pick<CampaignRow, 'spec' | 'as_of'>,
  rules: FreezeRules,
) {
  const { config, account, campaign } = spec;
  const calendar = compileCalendar(config.windows);
  const zonesOf = zoneReader(spec);
  const contacted =
    rules.contactedSince === null
      ? new Map<string, number>()
      : await contactedByEvents(db, account, rules.contactedSince);
  return (member: Candidate): Decision => {
    const { id, key, early, late } = member;
    const zones = zonesOf(member);
    const excluded =
      early ?? byEvents(contacted, account, key) ?? late ?? byCalendar(calendar, zones, as_of.getTime());
    const decision = { id, zones: zonesText(zones), code: null, reason: null, place: null };
    if (excluded !== null) {
      const [code, reason] = excluded;
      return { ...decision, state: 'excluded', code, reason };
    }
    if (isInControlGroup({ account, campaign, key }, config.holdout))
      return { ...decision, state: 'holdout' };
    return { ...decision, state: 'waiting', place: placeOf(rules.run, key) };
  };
}

function zoneReader({ config, timeZone }: CampaignSpec): (member: Candidate) => readonly string[] {
  if (config.windows.zone === 'account') return () => [timeZone];
  const byNumber = zoneFinder(timeZone);
  return ({ zones, number }) => (zones === '' ? byNumber(number) : [zones]);
}

function byEvents(contacted: ReadonlyMap<string, number>, account: string, key: string): Verdict | null {
  if (contacted.size === 0) return null;
  const at = contacted.get(key) ?? contacted.get(subjectHash(account, personSubject(key)));
  if (at === undefined) return null;
  return ['CONTACTED_LATELY', `an event sent them a message or a flow on ${new Date(at).toISOString()}`];
}

function byCalendar(calendar: Calendar, zones: readonly string[], nowMs: number): Verdict | null {
  const opening = calendar.at(zones, nowMs);
  if (opening.open || opening.opensMs !== null) return null;
  return ['NO_COMMON_WINDOW', `no window is ever open in all of ${zones.join(', ')}`];
}

const RANGE = 2 ** 48;

/** Selects the same people each time the campaign is planned. A larger share includes everyone of a smaller share. */
export function isInControlGroup(
  { account, campaign, key }: { readonly account: string; readonly campaign: string; readonly key: string },
  share: number,
): boolean {
  if (share === 0) return false;
  const hash = createHash('sha256')
    .update(JSON.stringify([account, campaign, key]))
    .digest();
  return hash.readUIntBE(0, 6) < share * RANGE;
}
