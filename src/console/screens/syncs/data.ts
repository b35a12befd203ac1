// What the parts of this screen share.
import type { Output } from '../../api/client.ts';

export type SyncEntry = Output<'GET /syncs'>['syncs'][number];
export type RunSummary = Output<'GET /syncs/{sync}/runs'>['runs'][number];
export type Progress = Output<'GET /syncs/{sync}/progress'>;
export type Report = Output<'GET /syncs/{sync}/runs/{run}'>['report'];
export type Row = Output<'GET /syncs/{sync}/rows'>['rows'][number];
export type RowStatus = Row['status'];
export type DryRun = Output<'GET /plans/{plan}'>;
export type PlanReport = NonNullable<DryRun['report']>;

/** Outcomes in the order of importance. */
export const OUTCOMES = [
  'failed',
  'unknown',
  'rejected',
  'created',
  'updated',
  'unchanged',
  'merged',
  'pending',
] as const satisfies readonly RowStatus[];

/** Statuses of runs in the words of the badge. */
export const BADGE_OF = {
  planning: 'running',
  syncing: 'running',
  finished: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
  idle: 'off',
  waiting: 'waiting',
  running: 'running',
  paused: 'paused',
  interrupted: 'degraded',
  unknown: 'unknown',
  ended: 'done',
} as const;

export function secondsBetween(from: string, to: string | null): number | null {
  return to === null ? null : Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
}

/** A value of a record as text. */
export function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
