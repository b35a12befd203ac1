// The public exports of `sluice/worker`.
export {
  type AccountOptions,
  type AccountResources,
  isOptedOut,
  OPTED_OUT,
} from '../../activities/own/account-client.ts';
export type { SentTo } from '../../activities/own/find-message.ts';
export type { FindEffect, OnceOutcome, OnceWrite, Shown } from '../../activities/own/once.ts';
export type { AccountClient, Sluice } from '../../activities/own/sluice.ts';
export type { LaneName } from '../../src/core/lanes.ts';
export { createWorker, type OwnWorker, OwnWorkerError, type OwnWorkerOptions } from './create-worker.ts';
