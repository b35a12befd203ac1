// The trigger call: takes the right to trigger between slot and call, and records what the response means for the
// member.

import type { Queryable } from '../../../src/core/sql/database.ts';
import type { FirstVerified } from '../../../src/jobs/campaigns/contract/report.ts';
import { hearsOutcome } from '../../../src/jobs/campaigns/store/campaign-news.ts';
import { lockCampaign, noteUnverified, noteVerified } from '../../../src/jobs/campaigns/store/campaigns.ts';
import { readMember, takeRight } from '../../../src/jobs/campaigns/store/member-checks.ts';
import { endMember, getMember } from '../../../src/jobs/campaigns/store/members.ts';
import type { TriggeredFlow } from '../../../src/service/api-client/resources/flows.ts';
import type { Deps } from '../../shared/deps.ts';
import { comeBack, refusal } from '../../shared/failures.ts';
import { attemptOnce } from '../../shared/write-once.ts';
import { addAfterEvents, openAmong } from './after.ts';
import { checkMember, type MemberContext, memberKey, questionOf, type Verdict, zonesOf } from './check.ts';
import {
  endAlone,
  giveUp,
  type MemberResult,
  nameOf,
  nowOf,
  publishEnded,
  retryWrite,
  settleVerdict,
  withAfter,
} from './outcome.ts';
import { refused } from './refused.ts';
import { contradiction, namesContact } from './verify.ts';

const STEP = 'triggerMember';

/** The right to trigger: the member at the time the right was granted, and the number of this attempt to send. */
interface Right {
  readonly context: MemberContext;
  readonly contact: number | null;
  readonly sends: number;
}

/** The right to trigger, or the verdict that denied it. */
type Asked = Right | { readonly context: MemberContext; readonly verdict: Exclude<Verdict, { do: 'go' }> };

/** Triggers a waiting member's flow if the rules still allow it when a slot is free. */
export async function callTrigger(deps: Deps, c: MemberContext): Promise<MemberResult> {
  let asked = null as Asked | null;
  const right = () => asked as Right;
  return await attemptOnce<TriggeredFlow, MemberResult>(deps, {
    account: c.account,
    run: c.member.run_id,
    scope: 'flows:trigger',
    call: async (client, options) => {
      // Time has passed since the right was taken: the call waited for a slot, perhaps for that of a second token.
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
      return await retryWrite(() => triggered(deps, right(), namesContact(raw, sent)));
    },
    // Nothing shows whether the flow ran.
    lost: async (_, sends) => {
      const { context } = right();
      const { member } = context;
      deps.log.warn({ run: member.run_id, member: member.id }, 'the answer to a trigger was lost');
      return await retryWrite(() => giveUp(deps, context, sends));
    },
    refused: (error, sends) => refused(deps, right().context, sends, error),
  });
}

/** How often the checks repeat because the person's data changed between the checks and the right. */
const MOST_CHECKS = 20;

/**
 * Takes the right to trigger, as of the current time: a call waits for its slot, and two campaigns may want the same
 * person. The ledger grants the right only if the data that the checks used has not changed. Otherwise the checks run
 * again with the new data.
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
    // The member was read before the wait for a slot, so a denial needs fresh data.
    else member = await readMember(deps.db, question, member.id);
  }
  throw comeBack(1000, "the person's data keeps changing");
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
    contact: { number: member.number ?? memberKey(member), id: contact ?? undefined },
  };
}

/** Records that the service accepted the trigger, however late. This also settles a member that counted as unknown. */
async function triggered(
  deps: Deps,
  { context: { campaign, member, afterRun }, sends }: Right,
  named: boolean,
): Promise<MemberResult> {
  const name = nameOf(member);
  const at = await nowOf(deps);
  const isFirst = !member.verified;
  const write = async (tx: Queryable): Promise<MemberResult> => {
    // Lock order: the run before the member, as everywhere.
    if (isFirst) await lockCampaign(tx, name.run);
    if (isFirst && named) await noteVerified(tx, name.run, byAnswer(member.id));
    const ended = await endMember(tx, name, { state: 'triggered' }, at, sends);
    if (ended !== null) {
      const result = withAfter('triggered', await addAfterEvents(tx, afterRun, campaign, member));
      const unverified = isFirst && !named;
      if (unverified) await noteUnverified(tx, name);
      await publishEnded(tx, deps, campaign, ended);
      return unverified ? { ...result, next: 'verifyMember' } : result;
    }
    const now = await getMember(tx, name);
    if (now.sends > sends)
      deps.log.warn(
        { run: name.run, member: name.id },
        'the response to a trigger arrived after the member had moved on',
      );
    return withAfter(now.state, await openAmong(tx, now.events));
  };
  // A single statement suffices unless something else is written with it.
  const isHeard = hearsOutcome(deps.announce(campaign.account), 'triggered');
  return isFirst || afterRun !== null || isHeard ? await deps.db.transaction(write) : await write(deps.db);
}

const byAnswer = (member: number): FirstVerified => ({
  how: 'answer',
  member,
  reason: 'the response to its trigger names the contact',
});

/** The service accepted the trigger, but its response names another target, so it is unknown what ran. */
async function triggeredAnother(deps: Deps, { context, sends }: Right, wrong: string): Promise<MemberResult> {
  const reason = `the response to the trigger names ${wrong}`;
  const end = { state: 'unknown', code: 'WRONG_TARGET', reason } as const;
  const at = await nowOf(deps);
  const { campaign, member } = context;
  await retryWrite(() => endAlone(deps, context, nameOf(member), end, { at, sends }));
  deps.log.error({ run: campaign.run_id, member: member.id, code: end.code }, reason);
  const way =
    'check in the service what it did, and see the assumptions flows.contactField and flows.contactIdentity';
  throw refusal(end.code, `${reason}: ${way}`, { scope: 'run', step: STEP });
}
