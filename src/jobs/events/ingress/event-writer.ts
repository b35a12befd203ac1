// Writes events to the ledger in groups: one statement serves all senders that arrive while another is in progress.
// Alone, each would wait for its own commit.

import { type Database, LedgerError } from '../../../core/sql/database.ts';
import type { EventDraft, EventState } from '../contract/intake.ts';
import { addEvents, markAccepted } from '../store/events.ts';
import { type IntakeSpec, openIntakeRun } from '../store/intake-runs.ts';
import { type Batcher, createBatcher } from './batcher.ts';
import { NotAcceptedError, type Route } from './intake.ts';

/** When a sender is asked to retry. */
const REST_MS = 1000;
/** Maximum number of rows in one statement, unless one delivery has more. */
const ROWS = 256;

export interface EventWriter {
  /**
   * Stores the events. @returns the state of each
   * @param signal withdraws events that no statement has taken yet
   * @throws NotAcceptedError `LEDGER`
   */
  write(route: Route, drafts: readonly EventDraft[], signal?: AbortSignal): Promise<EventState[]>;
  /** Records that Temporal has accepted them. @throws NotAcceptedError `LEDGER` */
  mark(ids: readonly string[]): Promise<void>;
  forget(route: Route): void;
}

export interface EventWriterOptions {
  readonly db: Database;
  specOf(route: Route): IntakeSpec;
  /** Milliseconds that the first of a group waits for others. */
  gatherMs(): number;
}

export function createEventWriter({ db, specOf, gatherMs }: EventWriterOptions): EventWriter {
  const runs = new Map<Route, Promise<string>>();
  const writers = new Map<Route, Batcher<EventDraft, EventState>>();
  const marker = createBatcher<string, undefined>({
    max: ROWS,
    waitMs: gatherMs,
    groups: 1,
    handOn: async (ids) => {
      await markAccepted(db, ids);
      return ids.map(() => undefined);
    },
  });

  /** Opened at the first event, so that an unavailable ledger does not keep the process from starting. */
  function runOf(route: Route): Promise<string> {
    const known = runs.get(route);
    if (known !== undefined) return known;
    const opened = openIntakeRun(db, specOf(route));
    runs.set(route, opened);
    opened.catch(() => runs.delete(route));
    return opened;
  }

  function writerOf(route: Route): Batcher<EventDraft, EventState> {
    let writer = writers.get(route);
    if (writer === undefined) {
      writer = createBatcher({
        max: ROWS,
        waitMs: gatherMs,
        groups: 1,
        handOn: async (group) => await addEvents(db, await runOf(route), group),
      });
      writers.set(route, writer);
    }
    return writer;
  }

  return {
    write: (route, drafts, signal) => fromLedger(() => writerOf(route).add(drafts, signal)),
    mark: async (ids) => {
      await fromLedger(() => marker.add(ids));
    },
    forget(route) {
      runs.delete(route);
      writers.delete(route);
    },
  };
}

/** @throws NotAcceptedError `LEDGER` instead of the ledger's error */
export async function fromLedger<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    throw new NotAcceptedError('LEDGER', REST_MS, error.message, { cause: error });
  }
}
