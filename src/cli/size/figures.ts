// What `sluice size` calculates with: measured figures with their origin, and assumptions. To measure again, run
// `npm run bench size -- --json` and write its figures here. A test compares the model with the measured points.

/** An installation that was measured while all its tokens synced. */
export interface MeasuredPoint {
  readonly from: string;
  readonly tokens: number;
  /** Calls per minute that each token allowed. */
  readonly perMinute: number;
  readonly workers: number;
  /** As reached. */
  readonly callsPerSecond: number;
  /** CPU of all processes of a kind, in cores. */
  readonly workerCores: number;
  readonly ledgerCores: number;
  readonly temporalCores: number;
  /** Memory of all processes of a kind. Null: not measured. */
  readonly workersMB: number;
  readonly ledgerMB: number | null;
  readonly temporalMB: number | null;
  /** Connections to the ledger. */
  readonly connections: number | null;
}

export interface Measured {
  readonly on: string;
  readonly conditions: string;
  readonly points: readonly MeasuredPoint[];
}

export const MEASURED: Measured = {
  on: '2026-11-23',
  conditions:
    '2 cores that also ran the sandbox and other work, which kept both busy: the 50 tokens reached 0.62 of their limit; Node 20.20, PostgreSQL 18, Temporal dev server 1.32',
  points: [
    {
      from: 'bench size',
      tokens: 1,
      perMinute: 120,
      workers: 1,
      callsPerSecond: 2,
      workerCores: 0.032,
      ledgerCores: 0.01,
      temporalCores: 0.013,
      workersMB: 238,
      ledgerMB: 43,
      temporalMB: 183,
      connections: 2,
    },
    {
      from: 'bench size',
      tokens: 50,
      perMinute: 120,
      workers: 2,
      callsPerSecond: 61.7,
      workerCores: 0.221,
      ledgerCores: 0.24,
      temporalCores: 0.155,
      workersMB: 763,
      ledgerMB: 149,
      temporalMB: 247,
      connections: 20,
    },
    {
      from: 'bench cost, with a raised limit, earlier',
      tokens: 1,
      perMinute: 60_000,
      workers: 1,
      callsPerSecond: 730,
      workerCores: 0.708,
      ledgerCores: 0.577,
      temporalCores: 0.044,
      workersMB: 305,
      ledgerMB: null,
      temporalMB: null,
      connections: null,
    },
  ],
};

/** `fixed` + `perToken` × busy tokens + `perCall` × calls per second. */
export interface Line {
  readonly fixed: number;
  readonly perToken: number;
  readonly perCall: number;
}

/**
 * The lines through the measured points. `fixed` of a worker counts per process. A token costs more than its calls: at
 * 120 a minute, each call wakes the processes by itself.
 */
export const LINES = {
  workerCores: { fixed: 0.028, perToken: 0.0022, perCall: 0.00093 },
  ledgerCores: { fixed: 0.005, perToken: 0.0037, perCall: 0.00078 },
  temporalCores: { fixed: 0.01, perToken: 0.0029, perCall: 0.00004 },
  workersMB: { fixed: 240, perToken: 5.6, perCall: 0.08 },
  temporalMB: { fixed: 182, perToken: 1.3, perCall: 0 },
} as const satisfies Readonly<Record<string, Line>>;

/** Memory of PostgreSQL: it grows with connections. */
export const LEDGER_MB = { fixed: 31, perConnection: 5.9 } as const;

/** Bytes of a row in the ledger, with its indexes: `bench size`, 50,000 rows of each kind. */
export const ROW_BYTES = { person: 891, record: 322, call: 354, minute: 280, event: 583 } as const;

/** Transactions in the ledger per call: `bench size`, 50 tokens. */
export const TRANSACTIONS_PER_CALL = 4.83;

export interface Assumption {
  readonly value: number;
  readonly text: string;
}

export const ASSUMED = {
  activitiesPerCall: {
    value: 0.053,
    text: 'Temporal activities per call (bench cost, at 120 calls a minute)',
  },
  idleCallsPerMinute: {
    value: 2,
    text: 'calls a minute of a token that only polls (bench poll: 120 an hour)',
  },
  connectionsPerProcess: { value: 10, text: 'connections of one process to PostgreSQL, at most (its pool)' },
  maxConnections: {
    value: 97,
    text: 'connections that PostgreSQL allows (its default of 100, less 3 reserved)',
  },
  processShare: {
    value: 0.7,
    text: 'share of one core that a worker process may use: its JavaScript has one thread',
  },
  batchesPerProcess: { value: 1000, text: 'batches that a worker process works on at the same time' },
  batchesPerToken: {
    value: 2,
    text: 'batches of a busy token at the same time, such as a sync and a poller',
  },
  ledgerCores: { value: 16, text: 'cores of the PostgreSQL server: one server carries the whole ledger' },
  devActivities: {
    value: 53,
    text: 'workflows with one activity that the Temporal dev server carried per second, on 2 cores',
  },
  tokenCalls: { value: 730, text: 'calls per second that one token reached without a limit (bench cost)' },
  otherCores: { value: 0.1, text: 'cores of an ingress or console process at rest: not measured' },
  otherMB: { value: 250, text: 'MB of an ingress or console process: not measured' },
  lanes: { value: 2, text: 'lanes in which a token calls within one minute' },
  keepEventsDays: { value: 90, text: 'days for which events are kept (ingress.remember)' },
} as const satisfies Readonly<Record<string, Assumption>>;
