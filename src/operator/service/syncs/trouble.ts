// Why the calls of a run fail repeatedly. Without it, work whose service is away looks like work that goes on.
import type { RunProgress } from '../../../contracts/wire/run.ts';
import { QUIET_FAILURES } from '../workflows.ts';

export function troubleOf({ trouble }: RunProgress): string | null {
  return trouble === null || trouble.failures <= QUIET_FAILURES ? null : `retrying: ${trouble.reason}`;
}
