// Work that fails, on its way in, while it runs, and on its way out.
import { type Cause, reason } from './cause.ts';
import { produce } from './traffic.ts';

export const WORK: readonly Cause[] = [
  {
    alert: 'SluiceRunFailed',
    labels: { account: 'calm', sync: 'without-file', severity: 'warning' },
    cause: 'the file of a source is missing',
    begin: ({ call }) => call('POST', '/syncs/without-file/runs', { reason }),
  },
  {
    alert: 'SluiceOutboxDead',
    labels: { sink: 'picky', severity: 'warning' },
    cause: 'a receiver refuses a message again and again',
    async begin({ receivers, call }) {
      receivers.picky.status = 400;
      await call('POST', '/syncs/to-picky/runs', { reason });
    },
    async end({ receivers, call }) {
      receivers.picky.status = 200;
      await call('POST', '/outbox/retry', { sinks: ['picky'], states: ['dead'], reason });
    },
  },
  {
    alert: 'SluiceOutboxDelayed',
    labels: { sink: 'slow', severity: 'warning' },
    cause: 'a receiver answers 500',
    async begin({ receivers, call }) {
      receivers.slow.status = 500;
      await call('POST', '/syncs/to-slow/runs', { reason });
    },
    async end({ receivers, call }) {
      receivers.slow.status = 200;
      await call('POST', '/outbox/retry', { sinks: ['slow'], reason });
    },
  },
  {
    alert: 'SluiceDeadLettersGrow',
    labels: { cluster: 'bus', route: 'records', severity: 'warning' },
    cause: 'a producer writes a number where the schema wants a text',
    begin: (company) => produce(company, [{ phone: 5_511_912_345_601 }]),
  },
];
