// Which work goes before and after a sync, by its lane.
import { z } from 'zod';
import { SyncConfig } from '../config.ts';

const Work = z.object({ kind: z.enum(['sync', 'campaign', 'poller', 'route']), name: z.string() });

/** Other work of the sync's account in the configuration, if the sync had this lane. */
export const LaneOrder = z.object({
  lane: SyncConfig.shape.lane.unwrap(),
  /** Goes first. */
  before: z.array(Work),
  /** Has the same lane, and takes turns with the sync. */
  beside: z.array(Work),
  /** Goes after the sync. */
  after: z.array(Work),
});
export type LaneOrder = z.infer<typeof LaneOrder>;
