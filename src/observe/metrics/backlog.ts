// Gauges of what the ledger knows: waiting work, budgets, pollers, sinks, workers and its own size. A scrape sets them.
// All processes of one ledger show the same values, so dashboards take the maximum.
import { Gauge, type Registry } from 'prom-client';
import { codeLabel } from './calls.ts';

/** Work that waits. */
export interface WaitingWork {
  readonly account: string;
  readonly kind: 'record' | 'member' | 'event' | 'conversation';
  readonly items: number;
  /** Age of the oldest, in seconds; each account and kind occurs once. */
  readonly oldestSeconds: number;
}

export interface TokenBudget {
  readonly account: string;
  /** Position of the token in the configuration, from 1. */
  readonly token: number;
  /** Calls per minute. */
  readonly limit: number;
  /** Calls in the service's current window. */
  readonly used: number;
  /** Estimated calls per window of other programs that use the token. */
  readonly foreign: number;
  /** Seconds until the service accepts calls again; 0 when it is not blocked. */
  readonly blockedSeconds: number;
}

export interface LedgerSnapshot {
  /** Worker processes that are alive. */
  readonly workers: number;
  /** Size of the database of the ledger. */
  readonly bytes: number;
  readonly waiting: readonly WaitingWork[];
  /** Runs of syncs under way, also those that are still planned. */
  readonly runs: readonly { readonly account: string; readonly sync: string; readonly ageSeconds: number }[];
  /** Campaigns that Sluice has paused, for example by a stop rule. A pause by a person has no code. */
  readonly stopped: readonly {
    readonly account: string;
    readonly campaign: string;
    readonly code: string;
  }[];
  readonly budgets: readonly TokenBudget[];
  readonly pollers: readonly {
    readonly account: string;
    readonly poller: string;
    readonly state: 'polling' | 'paused' | 'blocked';
    readonly lagSeconds: number;
  }[];
  readonly sinks: readonly {
    readonly sink: string;
    readonly waiting: number;
    readonly dead: number;
    readonly lagSeconds: number | null;
    readonly circuit: 'closed' | 'open';
  }[];
  /** What waits for a person, by kind as in the overview. */
  readonly needs: readonly {
    readonly account: string | null;
    readonly kind: string;
    readonly count: number;
  }[];
}

const POLLER_STATES = ['polling', 'paused', 'blocked'] as const;

/** @returns what sets the gauges; null: the ledger did not answer */
export function createLedgerGauges(registry: Registry): (snapshot: LedgerSnapshot | null) => void {
  const declared: Gauge[] = [];
  const gauge = <T extends string>(name: string, help: string, labelNames: readonly T[]): Gauge<T> => {
    const made = new Gauge({ name, help, labelNames, registers: [registry] });
    declared.push(made);
    return made;
  };
  const up = new Gauge({
    name: 'sluice_ledger_up',
    help: '1 if the ledger answered the statements of this scrape, otherwise 0',
    registers: [registry],
  });
  const items = gauge(
    'sluice_backlog_items',
    'Work that waits, by kind: record, member, event or conversation; large numbers are estimates',
    ['account', 'kind'],
  );
  const oldest = gauge(
    'sluice_backlog_oldest_seconds',
    'Age of the oldest waiting work, by kind; of records and members, the age of their run',
    ['account', 'kind'],
  );
  const run = gauge(
    'sluice_backlog_run_seconds',
    'Age of the oldest run of a sync that is under way, from the start of its plan',
    ['account', 'sync'],
  );
  const stopped = gauge(
    'sluice_backlog_stopped_campaigns',
    '1 for a campaign that Sluice has paused, with the code of the stop rule or of another reason; a pause by a person does not count',
    ['account', 'campaign', 'code'],
  );
  const limit = gauge(
    'sluice_budget_limit_calls',
    'Calls per minute that a token allows; token is its position in the configuration',
    ['account', 'token'],
  );
  const used = gauge('sluice_budget_used_calls', "Calls in the service's current window of one minute", [
    'account',
    'token',
  ]);
  const foreign = gauge(
    'sluice_budget_foreign_calls',
    'Estimated calls per minute of other programs that use the token',
    ['account', 'token'],
  );
  const blocked = gauge(
    'sluice_budget_blocked_seconds',
    'Seconds until the service accepts calls of the token again, after a 429 or the last call of a window; otherwise 0',
    ['account', 'token'],
  );
  const pollLag = gauge(
    'sluice_poll_lag_seconds',
    'Seconds since the poller last had a complete view of the conversations; before the first one, since its start',
    ['account', 'poller'],
  );
  const pollState = gauge('sluice_poll_state', '1 for the current state: polling, paused or blocked', [
    'account',
    'poller',
    'state',
  ]);
  const waiting = gauge('sluice_outbox_waiting_messages', 'Messages that wait for the sink, up to 1,000', [
    'sink',
  ]);
  const age = gauge('sluice_outbox_oldest_seconds', 'Age of the oldest message that waits for the sink', [
    'sink',
  ]);
  const dead = gauge(
    'sluice_outbox_dead_messages',
    'Messages that could not be delivered and wait for an operator, up to 1,000',
    ['sink'],
  );
  const circuit = gauge(
    'sluice_outbox_circuit_open',
    '1 while Sluice pauses the sink after failures, otherwise 0',
    ['sink'],
  );
  const needs = gauge(
    'sluice_needs_attention',
    'What waits for a person, by kind as in the overview, at most 2 minutes old. An ingress and workers of your own show only what the ledger knows: take the maximum',
    ['account', 'kind'],
  );
  const workers = gauge(
    'sluice_workers_alive',
    'Worker processes that are alive, those of all machines that share the ledger',
    [],
  );
  const bytes = gauge('sluice_ledger_size_bytes', 'Size of the database of the ledger, with its indexes', []);
  // prom-client shows 0 for a gauge without labels that was never set. Here, 0 workers would raise an alarm.
  const clear = (): void => {
    for (const each of declared) each.reset();
    workers.remove();
    bytes.remove();
  };
  clear();
  return (snapshot) => {
    clear();
    up.set(snapshot === null ? 0 : 1);
    if (snapshot === null) return;
    workers.set(snapshot.workers);
    bytes.set(snapshot.bytes);
    const oldestRun = new Map<string, number>();
    for (const { account, sync, ageSeconds } of snapshot.runs) {
      const key = JSON.stringify([account, sync]);
      const age = Math.max(oldestRun.get(key) ?? 0, ageSeconds);
      oldestRun.set(key, age);
      run.set({ account, sync }, age);
    }
    for (const { account, campaign, code } of snapshot.stopped)
      stopped.set({ account, campaign, code: codeLabel(code) }, 1);
    for (const { account, kind, ...work } of snapshot.waiting) {
      items.set({ account, kind }, work.items);
      oldest.set({ account, kind }, work.oldestSeconds);
    }
    for (const { account, ...budget } of snapshot.budgets) {
      const token = String(budget.token);
      limit.set({ account, token }, budget.limit);
      used.set({ account, token }, budget.used);
      foreign.set({ account, token }, budget.foreign);
      blocked.set({ account, token }, budget.blockedSeconds);
    }
    for (const { account, poller, state, lagSeconds } of snapshot.pollers) {
      pollLag.set({ account, poller }, lagSeconds);
      for (const each of POLLER_STATES)
        pollState.set({ account, poller, state: each }, each === state ? 1 : 0);
    }
    for (const { sink, ...state } of snapshot.sinks) {
      waiting.set({ sink }, state.waiting);
      age.set({ sink }, state.lagSeconds ?? 0);
      dead.set({ sink }, state.dead);
      circuit.set({ sink }, state.circuit === 'open' ? 1 : 0);
    }
    for (const { account, kind, count } of snapshot.needs) needs.inc({ account: account ?? '', kind }, count);
  };
}
