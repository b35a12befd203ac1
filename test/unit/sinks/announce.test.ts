// The activity that tells a sink of an ended run: what it sends, and which of its failures are tried again.
import { ApplicationFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Deps } from '../../../activities/deps.ts';
import { createSinkActivities } from '../../../activities/sinks.ts';
import type { SinkEvent } from '../../../src/contracts/events.ts';
import type { Database } from '../../../src/ledger/database.ts';
import { closeRun, openRun, reportRun } from '../../../src/ledger/runs.ts';
import { SinkError } from '../../../src/sinks/sink.ts';
import { testLedger } from '../../support/ledger.ts';
import { freshAccount, specOf } from '../ledger/support.ts';

let db: Database;
beforeAll(async () => {
  db = await testLedger();
});

const away = new SinkError('ECONNREFUSED', 'the bus is away', { retryable: true });
const refused = new SinkError('MESSAGE_TOO_LARGE', 'the event is too large', { retryable: false });
const MINUTE = 60_000;

interface Case {
  readonly announce?: string;
  readonly open?: boolean;
  readonly answer?: SinkError;
  readonly skips?: boolean;
  readonly attempt?: number;
  readonly agoMs?: number;
}

/** Runs the activity on a run of its own; answers what the sink got and how it ended. */
async function announce({ announce, open = false, answer, skips = false, attempt = 1, agoMs = 0 }: Case) {
  const spec = specOf(freshAccount());
  const options = announce === undefined ? spec.options : { ...spec.options, announce };
  const run = await openRun(db, { ...spec, options });
  if (!open) await db.transaction((tx) => closeRun(tx, run.id, { status: 'cancelled', stopped: 0 }));
  const sent: SinkEvent[] = [];
  const never = () => {
    throw new Error('not used here');
  };
  const deps: Deps = {
    db,
    budget: {
      ...{ reserve: never, observe: never, block: never, refused: never },
      ...{ accepted: never, pace: never, snapshot: never },
    },
    gate: { places: 1, enter: never },
    log: { info: never, warn() {}, error: never },
    account: never,
    spec: never,
    poller: never,
    campaign: never,
    clock: { now: never },
    sinkNames: ['bus'],
    sinkRetry: never,
    openSource: never,
    compileMapping: never,
    sink(name) {
      if (name !== 'bus') throw new Error(`there is no sink "${name}"`);
      return {
        async send(events) {
          sent.push(...events);
          if (skips) return [{ state: 'skipped' }];
          return [answer === undefined ? { state: 'sent' } : { state: 'failed', error: answer }];
        },
        close: never,
      };
    },
  };
  const info = {
    attempt,
    scheduledTimestampMs: Date.now() - agoMs,
    scheduleToCloseTimeoutMs: 10 * MINUTE,
    retryPolicy: { initialInterval: 1000, backoffCoefficient: 2, maximumInterval: 30_000 },
  };
  const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
  const failure = await environment.run(createSinkActivities(deps).announceRun, { run: run.id }).then(
    () => null,
    (error: unknown) => error as ApplicationFailure,
  );
  return { run, sent, failure };
}

describe('telling a sink that a run has ended', () => {
  it('sends one event with the counts of the ledger', async () => {
    const { run, sent, failure } = await announce({ announce: 'bus' });
    expect(failure).toBeNull();
    const { problems: _, ...data } = await reportRun(db, run.id);
    expect(sent).toMatchObject([{ id: `${run.id}/cancelled`, type: 'sluice.sync.cancelled', data }]);
  });

  it('has nothing to do for a sync without a sink', async () => {
    expect(await announce({})).toMatchObject({ sent: [], failure: null });
  });

  it('is not done while the sink leaves the event unsent', async () => {
    const { failure } = await announce({ announce: 'bus', skips: true });
    expect(failure).toMatchObject({ message: 'the sink "bus" left the event unsent' });
    expect(failure).not.toMatchObject({ nonRetryable: true });
  });

  const cases: [name: string, given: Case, type: string, again: boolean][] = [
    ['of a run that is still open is a mistake', { announce: 'bus', open: true }, 'RUN_OPEN', false],
    ['that the configuration no longer has is given up', { announce: 'gone' }, 'CONFIG', false],
    ['that is away is tried again', { announce: 'bus', answer: away }, 'ECONNREFUSED', true],
    [
      'that is away is tried again while another attempt fits into the time',
      { announce: 'bus', answer: away, attempt: 20, agoMs: 9 * MINUTE },
      'ECONNREFUSED',
      true,
    ],
    [
      'that is away to the end is given up with its own reason, not with a timeout',
      { announce: 'bus', answer: away, attempt: 20, agoMs: 9.6 * MINUTE },
      'ECONNREFUSED',
      false,
    ],
    [
      'that refuses the event is given up at once',
      { announce: 'bus', answer: refused },
      'MESSAGE_TOO_LARGE',
      false,
    ],
  ];
  it.each(cases)('%s', async (_name, given, type, again) => {
    const { failure } = await announce(given);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ type, nonRetryable: !again });
    if (given.answer !== undefined) expect(failure?.message).toBe(given.answer.message);
  });
});
