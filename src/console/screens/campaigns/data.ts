import type { Output } from '../../api/client.ts';

export type Campaign = Output<'GET /campaigns'>['campaigns'][number];
export type Report = Output<'GET /campaigns/{campaign}/report'>;
export type Now = Output<'GET /campaigns/{campaign}/progress'>;
export type Rules = Output<'GET /campaigns/{campaign}/rules'>;
export type Plan = NonNullable<Output<'GET /campaigns/{campaign}/plan'>['plan']>;
export type Member = Output<'POST /campaigns/{campaign}/members'>['members'][number];

/** Answers about runs change with campaigns, whatever their route begins with. */
export const TOPICS = ['campaigns'] as const;

export const sumOf = (codes: Readonly<Record<string, number>>) =>
  Object.values(codes).reduce((sum, count) => sum + count, 0);

/** Most frequent first. */
export const byCount = (codes: Readonly<Record<string, number>>) =>
  Object.entries(codes).toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));

type Outline = Pick<Report, 'state' | 'paused' | 'blocked' | 'approval' | 'approvedBy'>;

/** What a run is in, in the words of the screen. */
export function stateOf(run: Outline | null) {
  if (run === null) return 'none';
  const { state, paused, blocked, approval, approvedBy } = run;
  if (state === 'running' && paused !== null) return 'paused';
  if (state === 'running' && blocked !== null) return 'blocked';
  if (state === 'planned' && approval === 'second-person' && approvedBy === null) return 'approval';
  return state;
}

/** Icons and colors of the states. */
export const STATUS_OF = {
  none: 'off',
  planning: 'pending',
  planned: 'scheduled',
  approval: 'approval',
  running: 'running',
  paused: 'paused',
  blocked: 'blocked',
  finished: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
  void: 'off',
} as const satisfies Record<ReturnType<typeof stateOf>, string>;
