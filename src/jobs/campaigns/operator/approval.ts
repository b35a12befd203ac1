// Who may approve the plan of a run, and plans that the caller is about to make.
import { approvalOf } from '../../../operator/service/approval.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { readApprovers } from '../../../operator/store/identity/approvers.ts';
import type { CAMPAIGNS } from '../contract/campaigns.ts';
import { findRun } from './target.ts';

type Routes = Extract<
  keyof typeof CAMPAIGNS,
  'GET /campaigns/{campaign}/approval' | 'GET /campaign-approvers'
>;

export function approvalHandlers({ db }: Pick<OperatorDeps, 'db'>): Handlers<Routes> {
  return {
    'GET /campaigns/{campaign}/approval': async ({ campaign: text }, caller) => {
      const { run_id: run, planned_by: author, campaign } = await findRun(db, text);
      return { run, ...(await approvalOf(db, caller, { author, campaign })) };
    },
    'GET /campaign-approvers': async (_input, caller) => {
      const plan = { author: caller.identity, campaign: '' };
      const { approvers, from } = await readApprovers(db, db.kind, plan);
      return { approvers: [...approvers], from };
    },
  };
}
