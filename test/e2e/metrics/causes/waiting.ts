// Work that a person paused, or that is slower than planned.
import { until } from '../../../support/until.ts';
import type { Company } from '../company.ts';
import type { AccountName } from '../company-config.ts';
import { type Cause, reason } from './cause.ts';
import { startCampaign } from './traffic.ts';

/** Starts a sync, and pauses it in the middle of its writes. */
async function pauseInTheMiddle(
  { call, panels }: Company,
  sync: string,
  account: AccountName,
): Promise<void> {
  await call('POST', `/syncs/${sync}/runs`, { reason });
  await until(`${sync} writes`, async () => {
    const requests = await panels[account].requests();
    // A campaign of the account writes elsewhere.
    return requests.some(({ method, path }) => method === 'POST' && path === '/v1/contacts');
  });
  await call('POST', `/syncs/${sync}/pause`, { reason });
}

const cancel = ({ call }: Company, sync: string) => call('POST', `/syncs/${sync}/cancel`, { reason });

export const WAITING: readonly Cause[] = [
  {
    alert: 'SluiceRecordsWait',
    labels: { account: 'idle', severity: 'warning' },
    cause: 'a person pauses a sync and forgets it',
    begin: (company) => pauseInTheMiddle(company, 'long', 'idle'),
  },
  {
    alert: 'SluiceRunOverdue',
    labels: { account: 'idle', sync: 'long', severity: 'warning' },
    cause: 'the same sync does not end',
    begin: async () => undefined,
    end: (company) => cancel(company, 'long'),
  },
  {
    alert: 'SluiceMembersWait',
    labels: { account: 'paused', severity: 'warning' },
    cause: 'a campaign has a low rate',
    begin: (company) => startCampaign(company, 'trickle'),
    // On a slow machine it has ended by itself.
    async end({ call }) {
      const { runs } = await call<{ runs: { state: string }[] }>(
        'GET',
        '/campaign-runs?campaign=trickle&limit=1',
      );
      if (runs[0]?.state === 'running') await call('POST', '/campaigns/trickle/cancel', { reason });
    },
  },
  {
    alert: 'SluiceBudgetUnused',
    labels: { account: 'paused', severity: 'warning' },
    cause: 'a paused sync has records for minutes, and only the campaign makes calls',
    begin: (company) => pauseInTheMiddle(company, 'longer', 'paused'),
    end: (company) => cancel(company, 'longer'),
  },
];
