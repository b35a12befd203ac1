// What work that could go on waits for. While it does, its pace says nothing about its end.
import type { RunningRun, WaitingWork } from '../../contract/overview.ts';
import type { outagesOf } from './outages.ts';

interface Seen {
  readonly running: readonly RunningRun[];
  readonly waiting: readonly WaitingWork[];
  /** No worker is alive. */
  readonly isMissed: boolean;
  readonly outages: ReturnType<typeof outagesOf>;
}

export function withCauses({ running, waiting, isMissed, outages }: Seen): {
  readonly running: RunningRun[];
  readonly waiting: WaitingWork[];
} {
  const away = new Set(outages.flatMap(({ kind, account }) => (kind === 'service-away' ? [account] : [])));
  const causeOf = (account: string | null) =>
    isMissed ? 'worker' : account !== null && away.has(account) ? 'service' : null;
  return {
    running: running.map((run) => {
      const isMoving = run.paused === null && run.blocked === null && run.state !== 'planned';
      const waitsFor = isMoving ? causeOf(run.account) : null;
      return waitsFor === null ? run : { ...run, waitsFor, etaSeconds: null };
    }),
    waiting: waiting.map((work) => {
      // A sink is no part of the service, and work without a place in the queue waits for a person.
      const waitsFor =
        work.kind === 'outbox' ? causeOf(null) : work.place === null ? null : causeOf(work.account);
      return waitsFor === null ? work : { ...work, waitsFor, etaSeconds: null };
    }),
  };
}
