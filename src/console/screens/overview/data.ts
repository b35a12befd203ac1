import type { Output } from '../../api/client.ts';

export type Overview = Output<'GET /overview'>;
export type Spending = Output<'GET /spending'>['items'][number];
