// Whether a caller may approve a plan, and who else may: the one answer for the console, the overview and commands.
import type { Database } from '../../core/sql/database.ts';
import type { Approval } from '../../jobs/campaigns/contract/approval.ts';
import { readApprovers } from '../store/identity/approvers.ts';
import { doubtOfApproval, type PlanToApprove } from '../store/identity/second-person.ts';
import { type Caller, identityUnproven, isAllowed, roleRequired } from './caller.ts';

export async function approvalOf(db: Database, caller: Caller, plan: PlanToApprove): Promise<Approval> {
  const { approvers, from } = await readApprovers(db, db.kind, plan);
  return { refusal: await refusalOfApproval(db, caller, plan), approvers: [...approvers], from };
}

async function refusalOfApproval(
  db: Database,
  caller: Caller,
  plan: PlanToApprove,
): Promise<Approval['refusal']> {
  const doubt = await doubtOfApproval(db, db.kind, { ...plan, approver: caller.identity });
  // Another role would not help the author.
  if (doubt?.code === 'SAME_PERSON') return doubt;
  if (!isAllowed(caller, 'approver')) {
    const { message } = roleRequired(caller, 'approver');
    return { code: 'ROLE_REQUIRED', reason: message, from: null };
  }
  if (caller.isClaimed === true)
    return { code: 'IDENTITY_UNPROVEN', reason: identityUnproven('approve').message, from: null };
  return doubt;
}
