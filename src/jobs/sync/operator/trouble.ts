// Why the calls of a run fail repeatedly. Without it, work whose service is away looks like work that goes on.

import { QUIET_FAILURES } from '../../../operator/service/workflows.ts';
import type { RunProgress } from '../contract/run.ts';

export function troubleOf({ trouble }: RunProgress): string | null {
  return trouble === null || trouble.failures <= QUIET_FAILURES ? null : `retrying: ${trouble.reason}`;
}
