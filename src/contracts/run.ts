// What a run is asked to do, how far it is, and what came of it.
import { z } from 'zod';
import { MappingConfig, SourceConfig, SyncConfig } from './config.ts';

/** Lanes: the smaller number is served first. */
export const LANES = { reply: 1, lead: 2, poll: 3, campaign: 4, backfill: 5 } as const;
export type Lane = keyof typeof LANES;

/** Everything that a run needs to know, frozen when it opens: later edits of sluice.yaml do not change a run half way. */
export const RunSpec = z.object({
  account: z.string(),
  sync: z.string(),
  options: SyncConfig,
  source: SourceConfig,
  mapping: MappingConfig,
});
export type RunSpec = z.infer<typeof RunSpec>;

export const OUTCOMES = ['created', 'updated', 'unchanged', 'rejected', 'failed', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The steps of one record, in the order in which they run. Each is at most one API call, but for reading back. */
export const STEPS = ['lookup', 'extra', 'contact', 'tags', 'findCard', 'card', 'stage'] as const;
export type Step = (typeof STEPS)[number];

/** Counts add up: read = created + updated + unchanged + rejected + failed + unknown, once a run has finished. */
export const RunReport = z.object({
  run: z.string(),
  read: z.int(),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  rejected: z.int(),
  failed: z.int(),
  unknown: z.int(),
  /** Cards created in this run. */
  cards: z.int(),
  /** API calls made in this run, read-backs and repeated attempts included. */
  calls: z.int(),
  seconds: z.number(),
});
export type RunReport = z.infer<typeof RunReport>;
