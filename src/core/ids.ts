// Every id and name that crosses a process: workflows, schedules, signals, task queues, and the runs that have no end.
// Workflow code imports this file, so it imports no other.

/** A campaign of the configuration. */
interface CampaignKey {
  readonly account: string;
  readonly campaign: string;
}

/** The task queue of workflows and of work on the ledger alone. */
export const WORK_QUEUE = 'sluice';

const API_SUFFIX = '-api';
const EVENTS_SUFFIX = '-events';

/** The queue of activities that call the API; Temporal ranks them there. */
export function apiQueue(workQueue: string): string {
  return `${workQueue}${API_SUFFIX}`;
}

/** The queue of events. A burst of thousands waits for slots there, so that batches always find a free worker. */
export function eventQueue(workQueue: string): string {
  return `${workQueue}${EVENTS_SUFFIX}`;
}

/** The work queue that a queue is or belongs to. */
export function workQueueOf(queue: string): string {
  for (const suffix of [API_SUFFIX, EVENTS_SUFFIX]) {
    if (queue.endsWith(suffix)) return queue.slice(0, -suffix.length);
  }
  return queue;
}

/** Custom search attributes. Temporal stores them as plain text, so none holds personal data. */
export const SEARCH_KEYS = {
  account: { name: 'SluiceAccount', type: 'KEYWORD' },
  job: { name: 'SluiceJob', type: 'KEYWORD' },
  run: { name: 'SluiceRun', type: 'KEYWORD' },
  phase: { name: 'SluicePhase', type: 'KEYWORD' },
} as const;

/** Types of workflows that activities start: they cannot import the workflow. */
export const OUTBOX_WORKFLOW = 'outboxDelivery';
export const DELIVERY_WORKFLOW = 'deliveryWatch';

/** Names of signals that activities, programs and other workflows send. */
export const HALT_SIGNAL = 'halt';
export const WAKE_SIGNAL = 'wake';
export const READY_SIGNAL = 'ready';
export const RETRY_SIGNAL = 'retry';

/** The id of a sync's workflow. The id is fixed, so two starts at once are one run. */
export function crmSyncWorkflowId(account: string, sync: string): string {
  return `crm-sync/${account}/${sync}`;
}

/** How to start and find the workflow of a sync. */
export function crmSyncIdentity(account: string, sync: string) {
  return identity(account, `crm-sync/${sync}`, {
    workflowId: crmSyncWorkflowId(account, sync),
    staticSummary: `CRM sync "${sync}" into the account "${account}"`,
  });
}

export function syncScheduleId(account: string, sync: string): string {
  return `sync/${account}/${sync}`;
}

/** The id of the workflow that a schedule starts. The server appends the scheduled time. */
export function scheduledSyncWorkflowId(account: string, sync: string): string {
  return `scheduled-sync/${account}/${sync}`;
}

/** The id of a workflow of events. `key`: the event's id, or a hash over the ids of several. */
export function leadIntakeWorkflowId(account: string, route: string, key: string): string {
  return `lead-intake/${account}/${route}/${key}`;
}

/** How to start and find a workflow of events. Event ids are hashes, so nothing personal is in it. */
export function leadIntakeIdentity(account: string, route: string, key: string) {
  return identity(account, `route/${route}`, {
    workflowId: leadIntakeWorkflowId(account, route, key),
    staticSummary: `Events of the route "${route}" for the account "${account}"`,
  });
}

/** How to start and find the workflow of a poller. The id is fixed, so two starts at once are one poller. */
export function pollingIdentity({ account, poller }: { readonly account: string; readonly poller: string }) {
  return identity(account, `poller/${poller}`, {
    workflowId: `conversation-polling/${account}/${poller}`,
    staticSummary: `Polls the conversations of the account "${account}"`,
  });
}

/** The id of the workflow that empties the outbox of one sink. */
export function outboxWorkflowId(sink: string): string {
  return `outbox/${sink}`;
}

/** The id of the workflow that follows the delivery of an account's messages. */
export function deliveryWorkflowId(account: string): string {
  return `delivery/${account}`;
}

/** How to start and find the workflow of a campaign. The id is fixed, so two starts at once are one run. */
export function campaignIdentity({ account, campaign }: CampaignKey) {
  return identity(account, `campaign/${campaign}`, {
    workflowId: `reactivation-campaign/${account}/${campaign}`,
    staticSummary: `Campaign "${campaign}" of the account "${account}"`,
  });
}

/** How to start and find the workflow that plans a campaign. The id is fixed, so two starts at once are one plan. */
export function campaignPlanIdentity({ account, campaign }: CampaignKey) {
  return identity(account, `campaign-plan/${campaign}`, {
    workflowId: `campaign-plan/${account}/${campaign}`,
    staticSummary: `Plans the campaign "${campaign}" of the account "${account}"`,
  });
}

/** The account of a workflow, by its id; null if it works for several. */
export function accountOfWorkflow(workflowId: string): string | null {
  const [job, account] = workflowId.split('/');
  return job === 'outbox' || !account ? null : account;
}

export function campaignScheduleId({ account, campaign }: CampaignKey): string {
  return `campaign/${account}/${campaign}`;
}

/** Reads `syncScheduleId` and `campaignScheduleId`; null for the id of a schedule that is not of Sluice. */
export function parseScheduleId(
  id: string,
): { readonly job: 'sync' | 'campaign'; readonly account: string; readonly name: string } | null {
  const [job, account, name, more] = id.split('/');
  if (job !== 'sync' && job !== 'campaign') return null;
  return !account || !name || more !== undefined ? null : { job, account, name };
}

/** The job name of the workflows that a schedule starts, among the search attributes. */
export function scheduledJobName(job: 'sync' | 'campaign', name: string): string {
  return `scheduled-${job}/${name}`;
}

/** The id of the workflow that a schedule starts. The server appends the scheduled time. */
export function scheduledCampaignWorkflowId({ account, campaign }: CampaignKey): string {
  return `scheduled-campaign/${account}/${campaign}`;
}

// Ids that the ledger's statements build. Parameters of the SQL functions are SQL expressions.

/** SQL for the id of a run: `{account}/{sync}/{number}`. `sync`: also the name of a route, a poller or a campaign. */
export function runIdSql(account: string, sync: string, seq: string): string {
  return `${account} || '/' || ${sync} || '/' || ${seq}`;
}

/** The id of a dry run. */
export function dryRunId(account: string, sync: string, name: string): string {
  return `${account}/${sync}/plan-${name}`;
}

/** Run of the calls that commands of operators make on their own, such as reading the lists of an account. */
export function operatorRunId(account: string): string {
  return `${account}/operators`;
}

/** Run of the calls that the preview of a campaign's audience makes. */
export function draftRunId(account: string): string {
  return `${account}/drafts`;
}

/** The campaign of a run; null when the text is not the id of a campaign's run. */
export function parseCampaignRunId(id: string): CampaignKey | null {
  const [account, sync, seq = '', more] = id.split('/');
  if (!account || sync === undefined || !/^\d+$/.test(seq) || more !== undefined) return null;
  const campaign = isCampaignRoute(sync) ? sync.slice(CAMPAIGN_SIGN.length) : '';
  return campaign === '' ? null : { account, campaign };
}

/** SQL for the id of an event in the outbox: `{sink}/{number}`. */
export function outboxIdSql(sink: string, seq: string): string {
  return `${sink} || '/' || ${seq}`;
}

/** Reads the id of an event in the outbox; null when no event has that id. */
export function parseOutboxId(id: string): { readonly sink: string; readonly seq: number } | null {
  const [, sink, seq] = /^([^/]+)\/(\d{1,15})$/.exec(id) ?? [];
  return sink === undefined || seq === undefined ? null : { sink, seq: Number(seq) };
}

// Names in the configuration begin with a letter or a digit. The names below begin with a sign of their own, so they
// never clash with a configured name.

const CAMPAIGN_SIGN = '+';
const POLLER_SIGN = '~';
const OWN_SIGN = '=';

/** The route of the messages that operators send from the command line. */
export const OPERATOR_ROUTE = '_cli';

/** The route of events that follow a campaign's triggers; also the campaign's name among the names of syncs. */
export function campaignRoute(campaign: string): string {
  return `${CAMPAIGN_SIGN}${campaign}`;
}

export function isCampaignRoute(route: string): boolean {
  return route.startsWith(CAMPAIGN_SIGN);
}

/** First characters of the routes whose events come from Sluice itself: no sender repeats them. */
export const OWN_ROUTE_SIGNS = [CAMPAIGN_SIGN, OPERATOR_ROUTE.charAt(0)] as const;

/** The subject of events about a person. `key`: canonical number. Events of one subject run in order. */
export function personSubject(key: string): string {
  return `person/${key}`;
}

/** The subject of events about a conversation that is known only by its id. */
export function conversationSubject(id: number): string {
  return `conversation/${id}`;
}

/** The subject of events about a card that is known only by its id. */
export function cardSubject(id: number): string {
  return `card/${id}`;
}

/** A route's name among the names of syncs. */
export function routeSyncName(route: string): string {
  return `@${route}`;
}

/** A poller's name among the names of syncs. */
export function pollerSyncName(poller: string): string {
  return `${POLLER_SIGN}${poller}`;
}

/** A name of a team's own worker among the names of syncs. */
export function ownSyncName(worker: string): string {
  return `${OWN_SIGN}${worker}`;
}

/** SQL for `pollerSyncName`. `poller`: SQL expression. */
export function pollerSyncNameSql(poller: string): string {
  return `'${POLLER_SIGN}' || ${poller}`;
}

function identity(
  account: string,
  job: string,
  { workflowId, staticSummary }: { readonly workflowId: string; readonly staticSummary: string },
) {
  return {
    workflowId,
    typedSearchAttributes: [
      { key: SEARCH_KEYS.account, value: account },
      { key: SEARCH_KEYS.job, value: job },
    ],
    staticSummary,
  };
}
