// Every workflow type that a worker registers.
export {
  campaignDeskAct,
  campaignRunAudit,
  campaignRunPlan,
  campaignRunReport,
  listCampaignRuns,
} from './campaign-desk.ts';
export { campaignPlan } from './campaign-plan.ts';
export { conversationPolling } from './conversation-polling.ts';
export { crmSync } from './crm-sync.ts';
export { listDeliveries } from './delivery-desk.ts';
export { deliveryWatch } from './delivery-watch.ts';
export { listEvents, retryEvents } from './event-desk.ts';
export { leadIntake } from './lead-intake.ts';
export { outboxDelivery } from './outbox-delivery.ts';
export { describeSinks, discardOutbox, listOutbox, retryOutbox } from './outbox-desk.ts';
export { describePollers } from './poll-desk.ts';
export { reactivationCampaign } from './reactivation-campaign.ts';
export { scheduledCampaign } from './scheduled-campaign.ts';
export { scheduledSync } from './scheduled-sync.ts';
