// Ordered shutdown of an entry point with time limits: the last opened part closes first, and no part can block the
// exit.

export interface Shutdown {
  /**
   * Registers what must be closed. Closers run one at a time, the last added first, each within `graceMs`.
   * A closer that is added during or after a shutdown runs in the same order as soon as possible.
   */
  add(name: string, close: () => Promise<void>): void;
  /** Aborts when the shutdown begins. */
  readonly signal: AbortSignal;
  /** True when a signal of the system began the shutdown. */
  readonly interrupted: boolean;
  /** Begins the shutdown or joins an active one. Resolves when every closer has settled or timed out. */
  run(reason: string): Promise<void>;
  /** Resolves when the shutdown is over. An entry point that stays up waits for it. */
  readonly finished: Promise<ShutdownOutcome>;
}

export interface ShutdownOutcome {
  readonly reason: string;
  /** Names of parts that failed to close or did not close in time. */
  readonly failed: readonly string[];
  /** All parts in the order in which they closed, with the milliseconds that each took. */
  readonly closed: readonly ClosedPart[];
}

export interface ClosedPart {
  readonly name: string;
  readonly ms: number;
}

export interface ShutdownOptions {
  /** Time for each closer, in milliseconds. */
  readonly graceMs: number;
  /**
   * Milliseconds from a signal to the end of the process, whatever is still open then.
   * @default none: every closer gets its time
   */
  readonly limitMs?: number | undefined;
  say(line: string): void;
  /**
   * Source of signals, and target of the exit.
   * @default the process itself
   */
  readonly host?: ShutdownHost;
}

/** The part of `process` that a shutdown needs. */
export interface ShutdownHost {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  exit(code: number): unknown;
  /** Ends the process by the default action of SIGINT, which waits for nothing. */
  endNow(): unknown;
}

const THIS_PROCESS: ShutdownHost = {
  on: (signal, listener) => process.on(signal, listener),
  off: (signal, listener) => process.off(signal, listener),
  exit: (code) => process.exit(code),
  endNow: endByInterrupt,
};

/** Requests of Node that run in threads of the system library. */
const IN_THREADS = /^(?:FSReq|GetAddrInfo|GetNameInfo)/;
/** Milliseconds for such requests to end by themselves: a healthy one takes a few. */
const THREADS_MS = 200;

/**
 * Ends this process with exit code 130. `process.exit` waits for threads that open files and look names up, and nothing
 * ends those: for a name server that is down, the usual resolver waits 10 s. Then the process ends by the default action
 * of SIGINT, which a shell shows as 130 too.
 */
export function exitInterrupted(until = Date.now() + THREADS_MS): void {
  if (!process.getActiveResourcesInfo().some((name) => IN_THREADS.test(name))) process.exit(130);
  if (Date.now() > until) endByInterrupt();
  else setTimeout(exitInterrupted, 10, until);
}

function endByInterrupt(): void {
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
}

const EXIT_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Listens for SIGINT and SIGTERM from now until the shutdown is over. The first signal begins it; a later one ends the
 * process at once with 130 or 143. For entry points only.
 */
export function createShutdown({ graceMs, limitMs, say, host = THIS_PROCESS }: ShutdownOptions): Shutdown {
  const begun = new AbortController();
  const closers: { name: string; close: () => Promise<void> }[] = [];
  const failed: string[] = [];
  const closed: ClosedPart[] = [];
  let running: Promise<void> | null = null;
  let interrupted = false;
  let notifyFinished: (outcome: ShutdownOutcome) => void;
  const finished = new Promise<ShutdownOutcome>((resolve) => {
    notifyFinished = resolve;
  });

  const closeAll = async (): Promise<void> => {
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) {
      const startedAt = performance.now();
      const problem = await closeWithin(closer.close, graceMs);
      closed.push({ name: closer.name, ms: performance.now() - startedAt });
      if (problem === null) continue;
      failed.push(closer.name);
      say(`${closer.name} did not close: ${problem}`);
    }
  };
  const run = (reason: string): Promise<void> => {
    running ??= (async () => {
      begun.abort(new Error(`shutting down: ${reason}`));
      await closeAll();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) host.off(signal, onSignal);
      notifyFinished({ reason, failed, closed });
    })();
    return running;
  };
  function onSignal(signal: NodeJS.Signals): void {
    if (begun.signal.aborted) {
      if (limitMs !== undefined) host.endNow();
      else host.exit(EXIT_BY_SIGNAL[signal as keyof typeof EXIT_BY_SIGNAL]);
      return;
    }
    say(`Shutting down (${signal}); send it again to end at once`);
    interrupted = true;
    // Not cleared: what the process does after its closers has no more time either.
    if (limitMs !== undefined) setTimeout(() => host.endNow(), limitMs).unref();
    void run(signal);
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) host.on(signal, onSignal);

  return {
    add: (name, close) => {
      closers.push({ name, close });
      // A part that was still opening when the shutdown ended must not stay open.
      void running?.then(closeAll);
    },
    signal: begun.signal,
    get interrupted() {
      return interrupted;
    },
    run,
    finished,
  };
}

/** Null when it closed; otherwise the problem, as text. */
async function closeWithin(close: () => Promise<void>, graceMs: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, graceMs, `still busy after ${graceMs / 1000} s`);
  });
  const closed = (async () => {
    await close();
    return null;
  })().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  try {
    return await Promise.race([closed, late]);
  } finally {
    clearTimeout(timer);
  }
}
