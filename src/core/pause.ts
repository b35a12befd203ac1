// The pause of a run: of a sync or of a campaign.
import { z } from 'zod';

/** A pause by an operator, or by Sluice itself because the service refused something or a rule was broken. */
export const Pause = z.object({
  by: z.string(),
  reason: z.string(),
  /** The refusal or the rule; set only when Sluice itself paused the run. */
  code: z.string().optional(),
  /** ISO 8601. Missing in runs of earlier releases. */
  at: z.string().optional(),
  /** The resume after which the same refusal paused the run again. */
  again: z.object({ by: z.string(), at: z.string() }).readonly().optional(),
});
export type Pause = Readonly<z.infer<typeof Pause>>;
