// Verifies that a trigger took effect. The API text does not show the response body, so Sluice compares the fields
// that it finds; a missing field proves nothing. If the response to the first trigger of a run names no contact,
// Sluice looks for its effect: the flow runs on a conversation of the contact, so one of them is newer than the
// trigger. Sluice can't verify that the flow does what it is meant to do.

import type { FirstVerified } from '../../../src/jobs/campaigns/contract/report.ts';
import { getCampaign, noteVerified } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { canonicalKey } from '../../../src/mapping/phone/canonical.ts';
import { UnexpectedShapeError } from '../../../src/service/api-client/errors.ts';
import { isObject, type JsonObject } from '../../../src/service/api-client/json-object.ts';
import type { FlowTrigger } from '../../../src/service/api-client/resources/flows.ts';
import type { Conversation } from '../../../src/service/api-client/schemas/conversation.ts';
import { callApi } from '../../shared/api-call.ts';
import type { Deps } from '../../shared/deps.ts';
import { callReason, comeBack, refusal } from '../../shared/failures.ts';
import { isRefusal } from '../../shared/refusal-scope.ts';
import { type MemberContext, memberKey } from './check.ts';
import { answerOf, type MemberResult } from './outcome.ts';

export const FIRST_UNVERIFIED = 'FIRST_UNVERIFIED';

/** Tolerance for the difference between the two clocks. */
const SKEW_MS = 5 * 60_000;
/** Bounds of the pause, which is as long as the time since the trigger. */
const FIRST_PAUSE_MS = 1000;
const LAST_PAUSE_MS = 15_000;

/** GET /v1/conversations?searchParam=, repeated until a conversation shows or `readBack.settleSeconds` have passed. */
export async function callVerify(deps: Deps, c: MemberContext): Promise<MemberResult> {
  const { campaign, member } = c;
  const run = campaign.run_id;
  if (member.verified || member.triggered_at === null) return answerOf(member.state);
  const found = await findConversation(deps, c);
  const note = (how: FirstVerified['how'], reason: string) =>
    noteVerified(deps.db, run, { how, member: member.id, reason });
  if (found === 'shown') {
    await note('conversation', 'a conversation of the contact is newer than its trigger');
    return answerOf(member.state);
  }
  if (found !== 'missing') {
    await note('none', found.why);
    return answerOf(member.state);
  }
  const waitedMs = (await deps.clock.now()) - member.triggered_at.getTime();
  if (waitedMs < c.account.settleSeconds * 1000) {
    const pause = Math.min(LAST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, waitedMs));
    throw comeBack(pause, 'no conversation shows the first trigger yet');
  }
  // An operator has resumed the campaign meanwhile.
  if ((await getCampaign(deps.db, run)).verified !== null) return answerOf(member.state);
  const { flow } = campaign.spec.config;
  const reason = `the service accepted the first trigger (member ${member.id}), but no conversation of the contact is newer than it`;
  const set = `accounts.${campaign.account}.assumptions: { flows.contactField: …, flows.contactIdentity: … }`;
  const way = `check in the service whether flow ${flow} ran for them. If it did, run \`sluice campaign resume ${campaign.campaign}\`; if not, set ${set}, restart the workers, run \`sluice campaign cancel ${campaign.campaign}\` and plan it again`;
  throw refusal(FIRST_UNVERIFIED, `${reason}; ${way}`, { scope: 'run', step: 'verifyMember' });
}

async function findConversation(
  deps: Deps,
  c: MemberContext,
): Promise<'shown' | 'missing' | { readonly why: string }> {
  const { account, campaign, member } = c;
  const key = memberKey(member);
  try {
    const page = await callApi(deps, account, campaign.run_id, 'conversations:read', (client, options) =>
      client.conversations.list({ searchParam: member.number ?? key, pageSize: 100 }, options),
    );
    const since = (member.triggered_at as Date).getTime() - SKEW_MS;
    const isTheirs = ({ contact, updatedAt }: Conversation) =>
      Date.parse(updatedAt) >= since &&
      (contact.id === member.contact_id || canonicalKey(contact.number ?? '') === key);
    if (page?.items.some(isTheirs) === true) return 'shown';
    return (page?.invalid.length ?? 0) === 0 ? 'missing' : { why: "conversations can't be read" };
  } catch (error) {
    if (isRefusal(error)) return { why: `conversations can't be listed: ${callReason(error)}` };
    if (error instanceof UnexpectedShapeError)
      return { why: `conversations can't be read: ${error.message}` };
    throw error;
  }
}

type Sent = Pick<FlowTrigger, 'flowId' | 'whatsappId' | 'contact'>;

/** Names the first difference between the response and what was sent, without values; null if there is none. */
export function contradiction(answer: JsonObject, sent: Sent): string | null {
  const { id, number } = sent.contact;
  for (const record of recordsOf(answer)) {
    if (differs(idOf(record['flowId']), sent.flowId)) return 'another flow';
    if (differs(idOf(record['whatsappId']), sent.whatsappId)) return 'another connection';
    const contact = contactIn(record);
    if (
      differs(contact.id, id) ||
      differs(contact.key, number === undefined ? undefined : canonicalKey(number))
    )
      return 'another contact';
  }
  return null;
}

/** True if the response names the contact that was sent. */
export function namesContact(answer: JsonObject, { contact: { id, number } }: Sent): boolean {
  return recordsOf(answer).some((record) => {
    const found = contactIn(record);
    const sameId = found.id !== undefined && found.id === id;
    return sameId || (found.key !== undefined && number !== undefined && found.key === canonicalKey(number));
  });
}

/** The response and the objects that it wraps. */
function recordsOf(answer: JsonObject): JsonObject[] {
  return [
    answer,
    ...Object.entries(answer).flatMap(([name, value]) =>
      name !== 'contact' && isObject(value) ? [value] : [],
    ),
  ];
}

interface Named {
  readonly id: number | undefined;
  readonly key: string | undefined;
}

function contactIn(record: JsonObject): Named {
  const { contact } = record;
  const nested: JsonObject = isObject(contact) ? contact : {};
  return {
    id: idOf(record['contactId']) ?? idOf(nested['id']),
    key: keyOf(nested['number']) ?? keyOf(record['contactNumber']),
  };
}

const idOf = (value: unknown): number | undefined =>
  typeof value === 'string' && /^[1-9]\d{0,14}$/.test(value)
    ? Number(value)
    : typeof value === 'number'
      ? value
      : undefined;

const keyOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\+?\d{8,15}$/.test(value) ? canonicalKey(value.replace('+', '')) : undefined;

const differs = <T>(named: T | undefined, sent: T | undefined): boolean =>
  named !== undefined && sent !== undefined && named !== sent;
