// Reads what metrics show of the ledger, with the statements of the operators' overview.
import type { LoadedConfig } from '../../config/load.ts';
import type { Database } from '../../core/sql/database.ts';
import type { LedgerSnapshot, TokenBudget, WaitingWork } from '../../observe/metrics/backlog.ts';
import type { OperatorLog } from '../../operator/service/deps.ts';
import { createMemo } from '../../operator/service/memo.ts';
import { jobOf } from '../../operator/service/overview/jobs.ts';
import { type ConfiguredToken, createTokenList } from '../../operator/service/overview/tokens.ts';
import { readAges, readLedgerBytes, readPollerLags } from '../../operator/store/overview/backlog.ts';
import { readSinks } from '../../operator/store/overview/health.ts';
import { readNeeds } from '../../operator/store/overview/needs.ts';
import { readTokens } from '../../operator/store/overview/tokens.ts';
import { readRunning, readWaiting } from '../../operator/store/overview/work.ts';
import { readWorkers } from '../../operator/store/overview/workers.ts';

/** A ledger that takes longer leaves its gauges out of the scrape: Prometheus waits 10 s by default. */
const ANSWER_MS = 5000;

export interface LedgerSnapshotOptions {
  readonly db: Database;
  config(): LoadedConfig;
  readonly log: OperatorLog;
  /** The needs of the overview. @default those that the ledger knows */
  needs?(): LedgerSnapshot['needs'] | null;
}

/** @returns what reads a snapshot, or the one of a moment ago; null when the ledger does not answer */
export function createLedgerReader(options: LedgerSnapshotOptions): () => Promise<LedgerSnapshot | null> {
  const { db, config, log } = options;
  const tokensOf = createTokenList({ config, log });
  const memo = createMemo<LedgerSnapshot>();

  // One statement after the other: a scrape takes one connection, not nine.
  const read = async (): Promise<LedgerSnapshot> => {
    const tokens = await tokensOf();
    const rows = await readTokens(
      db,
      tokens.map(({ token }) => token),
    );
    const running = await readRunning(db, null);
    const waiting = await readWaiting(db, null);
    const ages = await readAges(db);
    return {
      workers: (await readWorkers(db)).alive,
      bytes: await readLedgerBytes(db),
      budgets: budgetsOf(tokens, rows, Date.now()),
      runs: running.filter(({ kind }) => kind !== 'campaign'),
      stopped: running.flatMap(({ account, sync, paused }) =>
        paused?.code === undefined ? [] : [{ account, campaign: jobOf(sync).name, code: paused.code }],
      ),
      waiting: waitingOf(running, waiting, ages),
      // The lag of a poller that left the configuration would grow forever.
      pollers: (await readPollerLags(db)).filter(
        ({ account, poller }) => config().config.pollers[poller]?.account === account,
      ),
      sinks: await readSinks(db, Object.keys(config().config.sinks)),
      needs: options.needs?.() ?? (await readNeeds(db, null)).needs,
    };
  };

  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, ANSWER_MS, null);
    });
    const snapshot = memo.get('', read).catch((error: unknown) => {
      log.warn({ err: error }, 'the metrics of the ledger could not be read');
      return null;
    });
    try {
      return await Promise.race([snapshot, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

type TokenRows = Awaited<ReturnType<typeof readTokens>>;

function budgetsOf(tokens: readonly ConfiguredToken[], rows: TokenRows, nowMs: number): TokenBudget[] {
  const byToken = new Map(rows.map((row) => [row.token, row]));
  return tokens.map(({ account, token, position, limit }) => {
    const row = byToken.get(token);
    const blockedUntil = row?.blockedUntil ?? null;
    return {
      account,
      token: position,
      limit: row?.limit ?? limit,
      used: row?.used ?? 0,
      foreign: row?.foreign ?? 0,
      blockedSeconds: blockedUntil === null ? 0 : Math.max(0, (Date.parse(blockedUntil) - nowMs) / 1000),
    };
  });
}

/** Runs of one kind of an account are one backlog: their items add up, and the oldest run gives its age. */
function waitingOf(
  running: Awaited<ReturnType<typeof readRunning>>,
  waiting: Awaited<ReturnType<typeof readWaiting>>,
  ages: Awaited<ReturnType<typeof readAges>>,
): WaitingWork[] {
  const ageOf = new Map(
    ages.map(({ kind, account, oldestSeconds }) => [`${kind} ${account}`, oldestSeconds]),
  );
  const work: WaitingWork[] = [
    ...running.map(({ kind, account, pending, ageSeconds }) => ({
      account,
      kind: kind === 'campaign' ? ('member' as const) : ('record' as const),
      items: pending,
      oldestSeconds: pending === 0 ? 0 : ageSeconds,
    })),
    ...waiting.map(({ kind, account, count }) => {
      const one = kind === 'events' ? ('event' as const) : ('conversation' as const);
      return { account, kind: one, items: count, oldestSeconds: ageOf.get(`${one} ${account}`) ?? 0 };
    }),
  ];
  const sums = new Map<string, WaitingWork>();
  for (const each of work) {
    const key = `${each.kind} ${each.account}`;
    const before = sums.get(key);
    sums.set(key, {
      account: each.account,
      kind: each.kind,
      items: (before?.items ?? 0) + each.items,
      oldestSeconds: Math.max(before?.oldestSeconds ?? 0, each.oldestSeconds),
    });
  }
  return [...sums.values()];
}
