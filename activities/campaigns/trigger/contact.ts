// Reads a member's contact before its flow is triggered: its id by number, and its current tags.

import { pick } from '../../../src/core/store/catalog.ts';
import { noteOptOuts } from '../../../src/core/store/opt-outs.ts';
import { noteMemberSeen } from '../../../src/jobs/campaigns/store/members.ts';
import { noteRemote } from '../../../src/jobs/events/store/effect-notes.ts';
import { addedOptOuts } from '../../../src/jobs/outbox/store/opt-out-news.ts';
import { putOutbox } from '../../../src/jobs/outbox/store/outbox.ts';
import { ApiError, UnexpectedShapeError } from '../../../src/service/api-client/errors.ts';
import type { Contact, ContactDetails } from '../../../src/service/api-client/schemas/contact.ts';
import { callApi } from '../../shared/api-call.ts';
import type { Deps } from '../../shared/deps.ts';
import { judge } from '../../shared/judge.ts';
import { CONTACTS, choose, listContacts, withNumber } from '../../shared/person-lists.ts';
import { isRefusal } from '../../shared/refusal-scope.ts';
import { wakeSinks } from '../../shared/wake.ts';
import { wholeList } from '../../shared/whole-list.ts';
import { contactOf, isRechecked, type MemberContext, memberKey } from './check.ts';
import { answerOf, GONE, type MemberResult, nameOf, nowOf, settleGone, skipMember } from './outcome.ts';
import { judgeSuspect, type Suspect, suspectOf, unreadable } from './suspect.ts';

type Step = 'findMember' | 'recheckMember';

/** GET /v1/contacts?number=. The service finds both forms of a Brazilian number. */
export async function callFind(deps: Deps, c: MemberContext): Promise<MemberResult> {
  if (c.member.contact_id !== null) return answerOf('waiting', 'triggerMember');
  const key = memberKey(c.member);
  const { account, campaign } = c;
  const list = await listContacts(deps, account, campaign.run_id, key);
  const all = wholeList(CONTACTS, list, withNumber(key, 'findMember'));
  const found = choose(all, key);
  if (found === null && (all.length > 0 || (list?.count ?? 0) > 0)) throw othersThan(all);
  if (found === null) return await skipMember(deps, c, GONE);
  await noteRemote(deps.db, campaign.account, key, found);
  // A person may have one contact per form of the number. The tags of both count.
  const tags = all.flatMap((each) => each.tags);
  return await judgeContact(deps, c, { ...found, tags });
}

/** Error for a list of contacts with other numbers: the service did not filter by the number. */
function othersThan(all: readonly Contact[]): UnexpectedShapeError {
  const expected =
    'expected only contacts with the requested number; the service seems to ignore the parameter `number`';
  return new UnexpectedShapeError({
    method: 'GET',
    path: '/v1/contacts',
    at: 'contacts',
    expected,
    status: 200,
    requestId: null,
    assumption: null,
    seen: all.length === 0 ? [] : ['number'],
  });
}

/** GET /v1/contacts/{contactId}. */
export async function callRecheck(deps: Deps, c: MemberContext): Promise<MemberResult> {
  const { account, campaign, member } = c;
  if (isRechecked(c, await deps.clock.now())) return answerOf('waiting', 'triggerMember');
  const id = contactOf(member);
  if (id === null) return answerOf('waiting', 'findMember');
  try {
    const contact = await callApi(deps, account, campaign.run_id, 'contacts:read', (client, options) =>
      client.contacts.get(id, options),
    );
    return await judgeContact(deps, c, contact as ContactDetails);
  } catch (error) {
    if (isRefusal(error) && error.code === 'ERR_NO_CONTACT_FOUND') return await settleGone(deps, c);
    throw error;
  }
}

/** Records what the service shows of the contact, and skips a member with an opt-out tag or an excluded tag. */
async function judgeContact(
  deps: Deps,
  c: MemberContext,
  { id, number, tags }: Contact,
): Promise<MemberResult> {
  const { campaign, member, account } = c;
  const at = await nowOf(deps);
  await noteMemberSeen(deps.db, nameOf(member), { contactId: id, number, at });
  const has = (names: readonly string[]) => names.find((name) => pick(tags, name) !== null);
  const optOut = has([...account.optOut.tags, ...campaign.spec.optOut.tags]);
  if (optOut !== undefined) {
    await noteTag(deps, campaign.account, memberKey(member), at, optOut);
    const reason = `they have the tag ${JSON.stringify(optOut)}`;
    return await skipMember(deps, c, { state: 'skipped', code: 'OPTED_OUT', reason });
  }
  const excluded = has(campaign.spec.config.exclude.tags ?? []);
  if (excluded === undefined) return answerOf('waiting', 'triggerMember');
  const reason = `they now have the tag ${JSON.stringify(excluded)}`;
  return await skipMember(deps, c, { state: 'skipped', code: 'EXCLUDED_TAG', reason });
}

/** Records that the contact has an opt-out tag, and publishes it if it is new. */
async function noteTag(deps: Deps, account: string, key: string, at: Date, tag: string): Promise<void> {
  const sinks = await deps.db.transaction(async (tx) => {
    const recorded = await noteOptOuts(tx, account, [key], 'tag', at, tag);
    const news = addedOptOuts(account, recorded, { via: 'tag' });
    return await putOutbox(tx, account, deps.announce(account), news);
  });
  await wakeSinks(sinks);
}

/**
 * Ends the member as failed if the error concerns this contact only.
 * @throws the error itself if it concerns more than this contact, or is temporary
 */
export async function settleReadError(
  deps: Deps,
  c: MemberContext,
  step: Step,
  error: unknown,
): Promise<MemberResult> {
  const failed = (code: string, reason: string) => skipMember(deps, c, { state: 'failed', code, reason });
  if (error instanceof UnexpectedShapeError) return await suspected(unreadable(c, error));
  const judged = judge(c.campaign.account, error, step, c.member.attempts + 1);
  if (judged.kind !== 'refused' || judged.reach !== 'record') throw error;
  const { code, reason } = judged;
  const suspect = error instanceof ApiError ? suspectOf(c, step, error, code) : null;
  return suspect === null ? await failed(code, reason) : await suspected(suspect);

  /** @throws ApplicationFailure that pauses the campaign */
  async function suspected(suspect: Suspect): Promise<MemberResult> {
    const { paused, reason } = await deps.db.transaction((tx) => judgeSuspect(tx, c, step, suspect));
    if (paused !== null) throw paused;
    return await failed(suspect.code, reason);
  }
}
