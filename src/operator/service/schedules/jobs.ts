// The kinds of jobs that can have a schedule, and the names of their schedules and workflows.
import type { scheduledCampaign } from '../../../../workflows/scheduled-campaign.ts';
import type { scheduledSync } from '../../../../workflows/scheduled-sync.ts';
import {
  campaignIdentity,
  campaignPlanIdentity,
  campaignScheduleId,
  crmSyncWorkflowId,
  scheduledCampaignWorkflowId,
  scheduledSyncWorkflowId,
  syncScheduleId,
} from '../../../core/ids.ts';
import type { Job } from '../../contract/schedules.ts';

/** A sync or a campaign. */
export interface JobName {
  readonly job: Job;
  readonly account: string;
  readonly name: string;
}

interface ScheduledJob {
  /** Section of the configuration. */
  readonly section: 'syncs' | 'campaigns';
  scheduleId(account: string, name: string): string;
  readonly workflowType: string;
  /** Id of the workflow that a scheduled time starts; the server adds the time. */
  workflowId(account: string, name: string): string;
  /** Ids of the workflows that it starts. While one of them runs, the overlap policy applies. */
  works(account: string, name: string): readonly string[];
  summary(account: string, name: string): string;
}

export const JOBS = {
  sync: {
    section: 'syncs',
    scheduleId: syncScheduleId,
    workflowType: 'scheduledSync' satisfies typeof scheduledSync.name,
    workflowId: scheduledSyncWorkflowId,
    works: (account, sync) => [crmSyncWorkflowId(account, sync)],
    summary: (account, sync) => `Schedule of the CRM sync "${sync}" into the account "${account}"`,
  },
  campaign: {
    section: 'campaigns',
    scheduleId: (account, campaign) => campaignScheduleId({ account, campaign }),
    workflowType: 'scheduledCampaign' satisfies typeof scheduledCampaign.name,
    workflowId: (account, campaign) => scheduledCampaignWorkflowId({ account, campaign }),
    works: (account, campaign) =>
      [campaignIdentity, campaignPlanIdentity].map((identity) => identity({ account, campaign }).workflowId),
    summary: (account, campaign) => `Schedule of the campaign "${campaign}" of the account "${account}"`,
  },
} as const satisfies Record<Job, ScheduledJob>;

export function scheduleIdOf({ job, account, name }: JobName): string {
  return JOBS[job].scheduleId(account, name);
}

/** JSON for programs: `{account, sync}` or `{account, campaign}`. */
export function namedBy({ job, account, name }: JobName) {
  return job === 'sync' ? { account, sync: name } : { account, campaign: name };
}
