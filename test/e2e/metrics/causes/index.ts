// The causes in steps. Those of a step begin together. Each has an account, a sink or a process of its own, so that
// none hides another.
import type { Cause } from './cause.ts';
import { BROKER, CHANGES, KAFKA, LOCKS, PROCESSES, SERVERS } from './servers.ts';
import { SERVICES } from './services.ts';
import { WAITING } from './waiting.ts';
import { WORK } from './work.ts';

export const STEPS: readonly { readonly step: string; readonly causes: readonly Cause[] }[] = [
  { step: 'work, accounts and changes', causes: [...CHANGES, ...WORK, ...WAITING, ...SERVICES] },
  { step: 'processes', causes: PROCESSES },
  { step: 'a table', causes: LOCKS },
  { step: 'records of Kafka', causes: KAFKA },
  { step: 'the broker', causes: BROKER },
  { step: 'PostgreSQL and Temporal', causes: SERVERS },
];

/** Alerts that no cause of the steps makes fire, each with the reason. */
export const NOT_SHOWN: Readonly<Record<string, string>> = {
  SluiceRunMissing: 'it compares with the week before; the tests of the rules show it',
  SluiceIngressBusy:
    'only more than the machine can accept makes the ingress busy, and then it answers nothing else here',
  SluiceLedgerConnectionsExhausted:
    'a process without a free connection answers a scrape after 5 s, and the time between two scrapes is 2 s here',
};
