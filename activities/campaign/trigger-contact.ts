// Looks at a member's contact before its flow is triggered: its id by number, and its tags as they are now.
import { ApiError, UnexpectedShapeError } from '../../src/api-client/errors.ts';
import type { Contact, ContactDetails } from '../../src/api-client/schemas/contact.ts';
import type { MemberResult } from '../../src/contracts/campaign.ts';
import { countMemberError, noteMemberSeen } from '../../src/ledger/campaign-members.ts';
import { pick } from '../../src/ledger/catalog.ts';
import { noteRemote } from '../../src/ledger/effect-notes.ts';
import { noteOptOuts } from '../../src/ledger/opt-outs.ts';
import { canonicalKey } from '../../src/mapping/phone.ts';
import { callApi } from '../api-call.ts';
import { choose } from '../contacts.ts';
import type { Deps } from '../deps.ts';
import { isRefusal, recordReason, refusalCode, refusalScope } from '../failures.ts';
import { isTransient, MAX_INTERNAL_ERRORS } from '../record-step.ts';
import { wholeList } from '../whole-list.ts';
import { contactOf, isRechecked, type MemberContext, memberKey } from './trigger-check.ts';
import { answerOf, GONE, nameOf, nowOf, settleGone, skipMember } from './trigger-outcome.ts';

type Step = 'findMember' | 'recheckMember';

/** GET /v1/contacts?number=: covers both forms of a Brazilian number. */
export async function callFind(deps: Deps, c: MemberContext, flightSeconds: number): Promise<MemberResult> {
  if (c.member.contact_id !== null) return answerOf('waiting', 'triggerMember');
  const key = memberKey(c.member);
  const { account, campaign } = c;
  const list = await callApi(deps, account, campaign.run_id, 'contacts:read', (client, options) =>
    client.contacts.list({ number: key, pageSize: 100 }, options),
  );
  const all = wholeList({ method: 'GET', path: '/v1/contacts' }, list);
  const found = choose(all, key);
  if (found === null) return await skipMember(deps, c, GONE, flightSeconds);
  await noteRemote(deps.db, campaign.account, key, found);
  // A person may have one contact for each form of the number: what either of them says counts.
  const tags = all.filter(({ number }) => canonicalKey(number) === key).flatMap((each) => each.tags);
  return await judgeContact(deps, c, { ...found, tags }, flightSeconds);
}

/** GET /v1/contacts/{contactId}. */
export async function callRecheck(
  deps: Deps,
  c: MemberContext,
  flightSeconds: number,
): Promise<MemberResult> {
  const { account, campaign, member } = c;
  if (isRechecked(member, await deps.clock.now())) return answerOf('waiting', 'triggerMember');
  const id = contactOf(member);
  if (id === null) return answerOf('waiting', 'findMember');
  try {
    const contact = await callApi(deps, account, campaign.run_id, 'contacts:read', (client, options) =>
      client.contacts.get(id, options),
    );
    return await judgeContact(deps, c, contact as ContactDetails, flightSeconds);
  } catch (error) {
    if (isRefusal(error) && error.code === 'ERR_NO_CONTACT_FOUND')
      return await settleGone(deps, c, flightSeconds);
    throw error;
  }
}

/** Notes what the service shows of the contact; one with a tag that says no is left out. */
async function judgeContact(
  deps: Deps,
  c: MemberContext,
  { id, number, tags }: Contact,
  flightSeconds: number,
): Promise<MemberResult> {
  const { campaign, member, account } = c;
  const at = await nowOf(deps);
  await noteMemberSeen(deps.db, nameOf(member), { contactId: id, number, at });
  const has = (names: readonly string[]) => names.find((name) => pick(tags, name) !== null);
  const optOut = has([...account.optOut.tags, ...campaign.spec.optOut.tags]);
  if (optOut !== undefined) {
    await noteOptOuts(deps.db, campaign.account, [memberKey(member)], 'tag', at);
    const reason = `they have the tag ${JSON.stringify(optOut)}`;
    return await skipMember(deps, c, { state: 'skipped', code: 'OPTED_OUT', reason }, flightSeconds);
  }
  const excluded = has(campaign.spec.config.exclude.tags ?? []);
  if (excluded === undefined) return answerOf('waiting', 'triggerMember');
  const reason = `they have the tag ${JSON.stringify(excluded)} by now`;
  return await skipMember(deps, c, { state: 'skipped', code: 'EXCLUDED_TAG', reason }, flightSeconds);
}

/**
 * What concerns this contact alone ends the member as failed.
 * @throws the error itself when it reaches further, or passes
 */
export async function settleLookError(
  deps: Deps,
  c: MemberContext,
  step: Step,
  error: unknown,
  flightSeconds: number,
): Promise<MemberResult> {
  const failed = (code: string, reason: string) =>
    skipMember(deps, c, { state: 'failed', code, reason }, flightSeconds);
  if (error instanceof UnexpectedShapeError) return await failed('UNEXPECTED_SHAPE', recordReason(error));
  // 401 and 403 are of the token or the plan, whatever their code: every contact would meet them.
  const personal = isRefusal(error) && error.status !== 401 && error.status !== 403;
  if (personal && refusalScope(refusalCode(error), step) === 'record')
    return await failed(refusalCode(error), recordReason(error));
  if (isTransient(error) && error instanceof ApiError && error.status === 500) {
    const errors = await countMemberError(deps.db, nameOf(c.member));
    if (errors >= MAX_INTERNAL_ERRORS)
      return await failed('HTTP_500', `the service answered ${errors} times with an internal error`);
  }
  throw error;
}
