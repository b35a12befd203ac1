import type { Output } from '../../api/client.ts';

export type Overview = Output<'GET /overview'>;
export type Spending = Output<'GET /spending'>['items'][number];

/** The most urgent first, which is also the order of their colors. */
export const LANES = ['reply', 'lead', 'poll', 'campaign', 'backfill'] as const;
