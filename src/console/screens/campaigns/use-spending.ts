// What campaigns spent of the calls of their accounts in the last 24 hours.
import { useCall } from '../../api/use-call.ts';

const EVERY_MS = 60_000;
/** Jobs read, the largest first. The others spent next to nothing. */
const JOBS = 200;

/** Looks up the share of a campaign, from 0 to 1; null while it is not known or when the account made no calls. */
export function useSpending() {
  const { data } = useCall('GET /spending', { by: 'job', limit: JOBS }, { everyMs: EVERY_MS });
  return ({ account, campaign }: { readonly account: string; readonly campaign: string }): number | null => {
    if (data === undefined) return null;
    const jobs = data.items.filter((job) => job.account === account);
    const all = jobs.reduce((sum, { calls }) => sum + calls, 0);
    const own = jobs.find(({ kind, name }) => kind === 'campaign' && name === campaign);
    return all === 0 ? null : (own?.calls ?? 0) / all;
  };
}
