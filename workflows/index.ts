// Every workflow type that a worker registers.
export { crmSync } from './crm-sync.ts';
export { listEvents, retryEvents } from './event-desk.ts';
export { leadIntake } from './lead-intake.ts';
export { scheduledSync } from './scheduled-sync.ts';
