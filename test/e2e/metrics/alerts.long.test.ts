// Each alert rule fires by its real cause, in a real Prometheus that scrapes real processes. It falls silent afterwards.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Alert } from '../../../scripts/dashboard/prometheus.ts';
import { startBroker } from '../../support/kafka/kafka-broker.ts';
import { NO_KAFKA } from '../../support/runner/missing.ts';
import type { Cause } from './causes/cause.ts';
import { NOT_SHOWN, STEPS } from './causes/index.ts';
import { type Company, openCompany, RULES } from './company.ts';
import { alertsOf, readRules } from './scaled-rules.ts';

/** Two minutes of the service and the longest window of a rule, with room. */
const DEADLINE_MS = 240_000;
const PAUSE_MS = 500;

const listed = (alerts: readonly Alert[]) =>
  alerts.map(({ state, labels }) => `${state} ${JSON.stringify(labels)}`).join('\n') || 'none';

const isOf = ({ alert, labels }: Cause, found: Alert) =>
  found.state === 'firing' &&
  Object.entries({ alertname: alert, ...labels }).every(([name, value]) => found.labels[name] === value);

/** Keeps the causes going, and notes which alerts have fired: some fall silent while others are awaited. */
function watch(company: Company, causes: readonly Cause[]) {
  const fired = new Set<Cause>();
  const over = new AbortController();
  const repeat = async () => {
    while (!over.signal.aborted) {
      const alerts = await company.prometheus.alerts();
      for (const cause of causes) {
        if (alerts.some((each) => isOf(cause, each))) fired.add(cause);
        else if (!fired.has(cause)) await cause.again?.(company);
      }
      await delay(PAUSE_MS);
    }
  };
  let trouble: unknown = null;
  const repeating = repeat().catch((error: unknown) => {
    trouble = error;
  });
  return {
    has(cause: Cause): boolean {
      if (trouble !== null) throw trouble;
      return fired.has(cause);
    },
    async stop() {
      over.abort();
      await repeating;
    },
  };
}

describe('each alert fires by its real cause, and falls silent when it has gone', () => {
  const ends: (() => Promise<unknown>)[] = [];
  let company: Company;
  let hasKafka = false;
  beforeAll(async () => {
    const kafka = await startBroker();
    if (kafka === null) return;
    hasKafka = true;
    ends.push(() => kafka.stop());
    company = await openCompany(kafka, ends);
  }, 600_000);
  beforeEach(({ skip }) => {
    if (!hasKafka) skip(NO_KAFKA);
  });
  afterAll(async () => {
    // What a failed test left behind must not keep the rest from ending.
    const errors: unknown[] = [];
    for (const end of ends.toReversed()) await end().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, 'the company did not end');
  }, 180_000);

  async function untilIs(what: string, is: (alerts: readonly Alert[]) => boolean) {
    const deadline = Date.now() + DEADLINE_MS;
    for (;;) {
      const alerts = await company.prometheus.alerts();
      if (is(alerts)) return;
      if (Date.now() > deadline) throw new Error(`${what}; there are\n${listed(alerts)}`);
      await delay(PAUSE_MS);
    }
  }

  describe.each(STEPS)('$step', ({ causes }) => {
    let watching: ReturnType<typeof watch>;
    beforeAll(async () => {
      if (!hasKafka) return;
      watching = watch(company, causes);
      for (const each of causes) await each.begin(company);
    }, 180_000);
    afterAll(async () => {
      if (hasKafka) await watching.stop();
    });

    it.each(causes)('$alert fires: $cause', async (cause) => {
      await untilIs('the alert does not fire', () => watching.has(cause));
    });

    describe('when the causes have gone', () => {
      const failures = new Map<Cause, unknown>();
      beforeAll(async () => {
        if (!hasKafka) return;
        await watching.stop();
        for (const each of causes)
          await each.end?.(company).catch((error: unknown) => failures.set(each, error));
      }, 180_000);

      it.each(causes)('$alert falls silent', async (cause) => {
        await untilIs(
          'the alert does not fall silent',
          (alerts) => !alerts.some((each) => isOf(cause, each)),
        );
      });
    });
  });
});

it('every alert of the file has a cause or a reason', async () => {
  const shown = STEPS.flatMap(({ causes }) => causes.map(({ alert }) => alert));
  const all = alertsOf(await readRules(RULES));
  expect([...new Set([...shown, ...Object.keys(NOT_SHOWN)])].sort()).toEqual(all.toSorted());
  expect(shown.filter((alert) => alert in NOT_SHOWN)).toEqual([]);
});
