// The event that says that a run has ended.
import { describe, expect, it } from 'vitest';
import {
  type EndedRun,
  RUN_END_STATUSES,
  runEndedEvent,
  SinkEvent,
} from '../../../../src/jobs/events/contract/envelope.ts';
import type { RunReport } from '../../../../src/jobs/sync/contract/run.ts';

const REPORT: RunReport = {
  run: 'acme/leads/7',
  read: 6,
  created: 1,
  updated: 1,
  unchanged: 0,
  merged: 2,
  rejected: 1,
  failed: 1,
  unknown: 0,
  cards: 1,
  calls: 9,
  seconds: 12.3,
  pending: 0,
  stoppedSteps: [],
  warnings: [{ step: 'setTags', code: 'UNKNOWN_TAG', reason: 'the account has no tag "vip"' }],
  problems: [
    {
      row: 2,
      outcome: 'failed',
      where: 'createCard',
      code: 'UNKNOWN_STAGE',
      reason: 'the pipeline "Sales" has no stage "Ana Souza +5511987654321"; it has New',
    },
  ],
  totals: [],
};
const ENDED: EndedRun = {
  account: 'acme',
  sync: 'leads',
  status: 'finished',
  endedAt: new Date('2026-11-20T10:00:00.123Z'),
  report: REPORT,
};

describe('the event of an ended run', () => {
  it('is a CloudEvent with the counts and warnings of the run', () => {
    const { problems: _rows, totals: _totals, ...data } = REPORT;
    expect(runEndedEvent(ENDED)).toEqual({
      specversion: '1.0',
      id: 'acme/leads/7/finished',
      source: '/sluice/accounts/acme/syncs/leads',
      type: 'sluice.sync.finished',
      time: '2026-11-20T10:00:00.123Z',
      datacontenttype: 'application/json',
      partitionkey: 'acme/leads',
      data,
    });
  });

  it.each(RUN_END_STATUSES)('names the status %s in id and type', (status) => {
    const event = runEndedEvent({ ...ENDED, status });
    expect(event).toMatchObject({ id: `acme/leads/7/${status}`, type: `sluice.sync.${status}` });
    expect(SinkEvent.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  it('is the same whenever it is built, so that a repeat is recognisable', () => {
    expect(runEndedEvent({ ...ENDED })).toEqual(runEndedEvent(structuredClone(ENDED)));
  });

  it('contains no value of a row: rows with problems are not in it', () => {
    expect(JSON.stringify(runEndedEvent(ENDED))).not.toMatch(/Ana|98765/);
  });

  it('of another run, sync or status has another id', () => {
    const ids = [
      ENDED,
      { ...ENDED, status: 'failed' as const },
      { ...ENDED, report: { ...REPORT, run: 'acme/leads/8' } },
      { ...ENDED, sync: 'deals', report: { ...REPORT, run: 'acme/deals/7' } },
    ].map((run) => runEndedEvent(run).id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
