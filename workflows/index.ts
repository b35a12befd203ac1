// Every workflow type that a worker registers.
export { crmSync } from './crm-sync.ts';
export { scheduledSync } from './scheduled-sync.ts';
