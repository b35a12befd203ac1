// Estimates what an installation needs. Every quantity is a line through the measured points, also beyond them.
import {
  ASSUMED,
  LEDGER_MB,
  LINES,
  type Line,
  MEASURED,
  ROW_BYTES,
  TRANSACTIONS_PER_CALL,
} from './figures.ts';

export interface SizeInput {
  readonly tokens: number;
  /** Calls per minute that each token allows. */
  readonly callsPerMinute: number;
  /** Percent of the tokens that use their whole limit at the same time. The others only poll. */
  readonly busy: number;
  /** People in the ledger, and records in the last run, per token. */
  readonly people: number;
  /** Events a day and token. */
  readonly events: number;
  /** Days for which the ledger keeps calls and minutes: `retention.calls`, `retention.minutes`. */
  readonly keepCalls: number;
  readonly keepMinutes: number;
}

export interface Part {
  readonly name: string;
  readonly processes: number;
  /** Of all its processes together. */
  readonly cores: number;
  readonly memoryMB: number;
}

export interface Limit {
  readonly name: string;
  readonly use: number;
  readonly limit: number;
  /** `use / limit`. Above 1, the installation does not carry the load. */
  readonly share: number;
  readonly wayOut: string;
}

export interface Stored {
  readonly kind: string;
  readonly rows: number;
  readonly bytes: number;
}

export interface Size {
  readonly input: SizeInput;
  readonly callsPerSecond: number;
  /** In the ledger. */
  readonly transactionsPerSecond: number;
  /** Of Temporal. */
  readonly activitiesPerSecond: number;
  readonly parts: readonly Part[];
  readonly cores: number;
  readonly memoryMB: number;
  readonly stored: readonly Stored[];
  readonly diskBytes: number;
  /** What gives out first is first. */
  readonly limits: readonly Limit[];
  /** More tokens or more calls than the largest installation that was measured. */
  readonly extrapolated: boolean;
}

/** Tokens that use their limit at the same time, and all calls per second. */
interface Load {
  readonly tokens: number;
  readonly calls: number;
}

const MINUTES_A_DAY = 1440;
/** Ingress and console: one process each. */
const OTHERS = ['ingress', 'console'] as const;

export function sizeOf(input: SizeInput): Size {
  const load = loadOf(input);
  const workerCores = on(LINES.workerCores, load);
  const workers = workerCount(input, load, workerCores);
  const more = workers - 1;
  const connections = (workers + OTHERS.length) * ASSUMED.connectionsPerProcess.value;
  const parts: readonly Part[] = [
    {
      name: 'worker',
      processes: workers,
      cores: workerCores + more * LINES.workerCores.fixed,
      memoryMB: on(LINES.workersMB, load) + more * LINES.workersMB.fixed,
    },
    ...OTHERS.map((name) => ({
      name,
      processes: 1,
      cores: ASSUMED.otherCores.value,
      memoryMB: ASSUMED.otherMB.value,
    })),
    {
      name: 'PostgreSQL',
      processes: 1,
      cores: on(LINES.ledgerCores, load),
      memoryMB: ledgerMB(connections),
    },
    {
      name: 'Temporal',
      processes: 1,
      cores: on(LINES.temporalCores, load),
      memoryMB: on(LINES.temporalMB, load),
    },
  ];
  const activitiesPerSecond = load.calls * ASSUMED.activitiesPerCall.value;
  const stored = storedOf(input, load);
  return {
    input,
    callsPerSecond: load.calls,
    transactionsPerSecond: load.calls * TRANSACTIONS_PER_CALL,
    activitiesPerSecond,
    parts,
    cores: sum(parts.map(({ cores }) => cores)),
    memoryMB: sum(parts.map(({ memoryMB }) => memoryMB)),
    stored,
    diskBytes: sum(stored.map(({ bytes }) => bytes)),
    limits: limitsOf({ input, load, workers, connections, activities: activitiesPerSecond }),
    extrapolated: MEASURED.points.every(
      ({ tokens, callsPerSecond }) => input.tokens > tokens || load.calls > callsPerSecond,
    ),
  };
}

/** The line at this load, with one process. */
export function on(line: Line, { tokens, calls }: Load): number {
  return line.fixed + line.perToken * tokens + line.perCall * calls;
}

function loadOf({ tokens, busy, callsPerMinute }: SizeInput): Load {
  const busyTokens = Math.ceil((tokens * busy) / 100);
  const idle = Math.min(callsPerMinute, ASSUMED.idleCallsPerMinute.value);
  return { tokens: busyTokens, calls: (busyTokens * callsPerMinute + (tokens - busyTokens) * idle) / 60 };
}

/** Enough for the CPU and for the batches. With several tokens there are two, so that one may end. */
function workerCount({ tokens }: SizeInput, load: Load, cores: number): number {
  const forCpu = Math.ceil(cores / ASSUMED.processShare.value);
  const batches = load.tokens * ASSUMED.batchesPerToken.value;
  const forBatches = Math.ceil(batches / ASSUMED.batchesPerProcess.value);
  return Math.max(tokens > 1 ? 2 : 1, forCpu, forBatches);
}

function storedOf({ tokens, people, events, keepCalls, keepMinutes }: SizeInput, { calls }: Load): Stored[] {
  const rows = (kind: string, count: number, bytes: number) => ({ kind, rows: count, bytes: count * bytes });
  const days = 86_400 * keepCalls;
  return [
    rows('calls', Math.round(calls * days), ROW_BYTES.call),
    rows('minutes with calls', tokens * MINUTES_A_DAY * keepMinutes * ASSUMED.lanes.value, ROW_BYTES.minute),
    rows('people with a card', tokens * people, ROW_BYTES.person),
    rows('records of the last runs', tokens * people, ROW_BYTES.record),
    rows('events', tokens * events * ASSUMED.keepEventsDays.value, ROW_BYTES.event),
  ];
}

/** Memory of PostgreSQL in MB. */
export function ledgerMB(connections: number): number {
  return LEDGER_MB.fixed + LEDGER_MB.perConnection * connections;
}

interface Use {
  readonly input: SizeInput;
  readonly load: Load;
  readonly workers: number;
  readonly connections: number;
  readonly activities: number;
}

function limitsOf({ input, load, workers, connections, activities }: Use): Limit[] {
  const { callsPerMinute } = input;
  const limits = [
    {
      name: 'connections to PostgreSQL',
      use: connections,
      limit: ASSUMED.maxConnections.value,
      wayOut: `set max_connections to ${connections + 20} or more`,
    },
    {
      name: 'cores of PostgreSQL',
      use: on(LINES.ledgerCores, load),
      limit: ASSUMED.ledgerCores.value,
      wayOut: 'divide the accounts over several installations',
    },
    {
      name: 'activities per second of a Temporal dev server',
      use: activities,
      limit: ASSUMED.devActivities.value,
      wayOut: 'run a Temporal cluster, and set TEMPORAL_ADDRESS',
    },
    {
      name: 'batches in a worker process',
      use: (load.tokens * ASSUMED.batchesPerToken.value) / workers,
      limit: ASSUMED.batchesPerProcess.value,
      wayOut: 'add worker processes',
    },
    {
      name: 'calls per second of one token',
      use: callsPerMinute / 60,
      limit: ASSUMED.tokenCalls.value,
      wayOut: 'use several tokens',
    },
    {
      name: "polling's share of a token's limit",
      use: ASSUMED.idleCallsPerMinute.value,
      limit: callsPerMinute,
      wayOut: 'poll less often',
    },
  ];
  return limits
    .map((limit) => ({ ...limit, share: limit.use / limit.limit }))
    .toSorted((one, other) => other.share - one.share);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}
