// Every workflow type that a worker registers.

export { campaignPlan } from './campaign-plan.ts';
export { conversationPolling } from './conversation-polling.ts';
export { crmSync } from './crm-sync.ts';
export { deliveryWatch } from './delivery-watch.ts';
export { leadIntake } from './lead-intake.ts';
export { outboxDelivery } from './outbox-delivery.ts';
export { reactivationCampaign } from './reactivation-campaign.ts';
export { scheduledCampaign } from './scheduled-campaign.ts';
export { scheduledSync } from './scheduled-sync.ts';
