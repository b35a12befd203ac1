// The call itself: a right that is taken between slot and call, and what its answer means for the member.
import type { TriggeredFlow } from '../../../src/api-client/resources/flows.ts';
import type { FirstVerified } from '../../../src/contracts/wire/campaign-report.ts';
import { readMember, takeRight } from '../../../src/ledger/campaigns/campaign-member-checks.ts';
import { endMember, getMember } from '../../../src/ledger/campaigns/campaign-members.ts';
import { lockCampaign, noteUnverified, noteVerified } from '../../../src/ledger/campaigns/campaigns.ts';
import type { Queryable } from '../../../src/ledger/database.ts';
import type { Deps } from '../../shared/deps.ts';
import { comeBack, refusal } from '../../shared/failures.ts';
import { attemptOnce } from '../../shared/write-once.ts';
import { addAfterEvents, openAmong } from './after.ts';
import { checkMember, type MemberContext, memberKey, questionOf, type Verdict, zonesOf } from './check.ts';
import { giveUp, insist, type MemberResult, nameOf, nowOf, settleVerdict, withAfter } from './outcome.ts';
import { refused } from './refused.ts';
import { contradiction, namesContact } from './verify.ts';

const STEP = 'triggerMember';

/** The right to trigger: the member as it was when it was given, and the number of the sending. */
interface Right {
  readonly context: MemberContext;
  readonly contact: number | null;
  readonly sends: number;
}

/** What came of asking for the right: without one, why. */
type Asked = Right | { readonly context: MemberContext; readonly verdict: Exclude<Verdict, { do: 'go' }> };

/** Triggers the flow of a member that waits, provided that the rules still allow it when a slot is there. */
export async function callTrigger(deps: Deps, c: MemberContext): Promise<MemberResult> {
  let asked = null as Asked | null;
  const right = () => asked as Right;
  return await attemptOnce<TriggeredFlow, MemberResult>(deps, {
    account: c.account,
    run: c.member.run_id,
    scope: 'flows:trigger',
    call: async (client, options) => {
      // Since the right was taken the slot was waited for, perhaps that of a second token.
      if (!(await isOpenStill(deps, right().context)))
        throw comeBack(1000, 'the window closed before the call');
      return await client.flows.trigger(triggerOf(right()), options);
    },
    take: async () => {
      asked = await askForRight(deps, c);
      return 'sends' in asked ? asked.sends : null;
    },
    denied: async () => {
      const { context, verdict } = asked as Exclude<Asked, Right>;
      return await settleVerdict(deps, context, verdict);
    },
    accepted: async ({ raw }) => {
      const sent = triggerOf(right());
      const wrong = contradiction(raw, sent);
      if (wrong !== null) return await triggeredAnother(deps, right(), wrong);
      return await insist(() => triggered(deps, right(), namesContact(raw, sent)));
    },
    // Nothing shows whether the flow ran.
    lost: async (_, sends) => {
      const { member } = right().context;
      deps.log.warn({ run: member.run_id, member: member.id }, 'the answer to a trigger was lost');
      return await insist(() => giveUp(deps, member, sends));
    },
    refused: (error, sends) => refused(deps, right().context, sends, error),
  });
}

/** What is known of the person changed between the checks and the right this often. */
const MOST_CHECKS = 20;

/**
 * Takes the right, by the clock as it is now: slots are waited for, and two campaigns may want the same person at once. The
 * ledger gives it only if all that the checks went by is as it was; else they are made again with what it shows now.
 */
async function askForRight(deps: Deps, c: MemberContext): Promise<Asked> {
  const { campaign } = c.campaign;
  let { member } = c;
  for (let checks = 0; checks < MOST_CHECKS; checks++) {
    const context = { ...c, member };
    const now = await deps.clock.now();
    const question = questionOf(c, now);
    const verdict = checkMember(deps, context, now);
    if (verdict.do === 'go') {
      const { sending, ...seen } = await takeRight(deps.db, question, member, {
        campaign,
        at: new Date(now),
      });
      member = seen;
      if (sending !== null) return { context: { ...c, member }, contact: verdict.contact, sends: sending };
    } else if (checks > 0) return { context, verdict };
    // What was read before the slot was waited for forbids nothing by itself.
    else member = await readMember(deps.db, question, member.id);
  }
  throw comeBack(1000, 'what is known of the person changes all the time');
}

async function isOpenStill(deps: Deps, c: MemberContext): Promise<boolean> {
  const { end } = c.campaign.spec.config;
  const now = await deps.clock.now();
  return c.calendar.at(zonesOf(c), now).open && (end === undefined || now < Date.parse(end));
}

function triggerOf({ context, contact }: Right) {
  const { campaign, member } = context;
  const { flow, connection } = campaign.spec.config;
  return {
    flowId: flow,
    whatsappId: connection,
    variables: member.variables ?? {},
    contact: { number: member.number ?? memberKey(member), ...(contact === null ? {} : { id: contact }) },
  };
}

/** The service has accepted it, however late: what counted as unknown is settled. */
async function triggered(
  deps: Deps,
  { context: { campaign, member, afterRun }, sends }: Right,
  named: boolean,
): Promise<MemberResult> {
  const name = nameOf(member);
  const at = await nowOf(deps);
  const isFirst = !member.verified;
  const write = async (tx: Queryable): Promise<MemberResult> => {
    // The run before the member, here as everywhere.
    if (isFirst) await lockCampaign(tx, name.run);
    if (isFirst && named) await noteVerified(tx, name.run, byAnswer(member.id));
    const ended = await endMember(tx, name, { state: 'triggered' }, at, sends);
    if (ended) {
      const result = withAfter('triggered', await addAfterEvents(tx, afterRun, campaign, member));
      if (!isFirst || named) return result;
      await noteUnverified(tx, name);
      return { ...result, next: 'verifyMember' };
    }
    const now = await getMember(tx, name);
    if (now.sends > sends)
      deps.log.warn(
        { run: name.run, member: name.id },
        'an answer came after the member had gone on without it',
      );
    return withAfter(now.state, await openAmong(tx, now.events));
  };
  // One statement where nothing is written beside it.
  return isFirst || afterRun !== null ? await deps.db.transaction(write) : await write(deps.db);
}

const byAnswer = (member: number): FirstVerified => ({
  how: 'answer',
  member,
  reason: 'the answer to its trigger names the contact',
});

/** The service has accepted the trigger, and says that it was for something else: nobody knows what ran. */
async function triggeredAnother(
  deps: Deps,
  { context: { campaign, member }, sends }: Right,
  wrong: string,
): Promise<MemberResult> {
  const reason = `the answer to the trigger names ${wrong}`;
  const end = { state: 'unknown', code: 'WRONG_TARGET', reason } as const;
  const at = await nowOf(deps);
  await insist(() => endMember(deps.db, nameOf(member), end, at, sends));
  deps.log.error({ run: campaign.run_id, member: member.id, code: end.code }, reason);
  const way =
    'check in the service what it did, and see the assumptions flows.contactField and flows.contactIdentity';
  throw refusal(end.code, `${reason}: ${way}`, { scope: 'run', step: STEP });
}
