// Work that failed several times, as a need: it is tried again by itself, so the need says when.
import type { Need } from '../../contract/overview.ts';
import type { FailingWork } from './failing-work.ts';
import { SEVERITY } from './urgency.ts';

/** By account, and by work of an account: when a call succeeded last. */
export interface Successes {
  ofAccount(account: string): string | null;
  ofWork(work: FailingWork): string | null;
}

/**
 * Whether only an attempt that failed before waits for its next turn, while the rest goes on. A database that was away
 * concerned all work, so a call of any work of the account shows that it is back.
 */
function goesOn(work: FailingWork, successes: Successes): boolean {
  const { account, failedAt, isLedgerAway } = work;
  if (account === null || failedAt === null) return false;
  const after = (at: string | null) => at !== null && at > failedAt;
  return after(successes.ofWork(work)) || (isLedgerAway && after(successes.ofAccount(account)));
}

export function failingNeed(work: FailingWork, successes: Successes): Need {
  const { account, name, kind, activity, code, attempts, workflows, isPartial, isLedgerAway, nextAt } = work;
  const isMoving = goesOn(work, successes);
  const parts: readonly (readonly [which: string, english: string])[] = [
    isLedgerAway
      ? ['ledger', `the ledger's database did not answer it ${attempts} times in a row`]
      : [
          'error',
          `it failed ${attempts} times in a row; the log of the worker names ${activity} and ${code}`,
        ],
    nextAt === null ? ['again', 'it retries by itself'] : ['next', `it retries by itself at ${nextAt}`],
    ...(isMoving ? [['moving', 'other work goes on'] as const] : []),
    ...(isPartial
      ? [['partial', 'more may fail, because not all open workflows are checked yet'] as const]
      : []),
  ];
  return {
    kind: 'failing-batch',
    severity: isMoving ? 'warning' : SEVERITY['failing-batch'],
    account,
    name,
    run: null,
    since: null,
    work: kind,
    count: workflows,
    code: 'WORK_RETRIES',
    reason: parts.map(([, english]) => english).join('; '),
    params: {
      which: parts.map(([which]) => which),
      attempts,
      activity,
      error: code,
      ...(nextAt === null ? {} : { nextAt }),
    },
    approval: null,
    commands: [],
  };
}
