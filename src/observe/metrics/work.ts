// Metrics of finished work: runs, records, events, campaign members and messages of the outbox.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Outcomes } from '../outcomes.ts';

export interface WorkMetrics extends Outcomes {
  /**
   * Starts the series of this configuration at 0. Prometheus sees no increase in the first value of a series, so it would
   * miss the first run that fails.
   */
  expect(work: ConfiguredWork): void;
}

/** The part of a configuration that has work. */
export interface ConfiguredWork {
  readonly syncs: Readonly<
    Record<string, { readonly account: string; readonly schedule?: { readonly paused: boolean } | undefined }>
  >;
  readonly routes: Readonly<Record<string, { readonly account: string }>>;
  readonly campaigns: Readonly<Record<string, { readonly account: string }>>;
  readonly sinks: Readonly<Record<string, unknown>>;
}

/** More names of one kind begin without a 0: a page of 10,000 lines would block the event loop at each scrape. */
const MAX_NAMES = 200;
const RUNS = ['finished', 'failed', 'cancelled'];
const RECORDS = ['created', 'updated', 'unchanged', 'merged', 'rejected', 'failed', 'unknown'];
const EVENTS = ['done', 'unchanged', 'superseded', 'discarded', 'failed', 'unknown'];
const CAMPAIGNS = ['finished', 'cancelled'];
const MEMBERS = ['triggered', 'skipped', 'failed', 'unknown'];
const MESSAGES = ['sent', 'dead'];

export function createWorkMetrics(registry: Registry): WorkMetrics {
  const registers = [registry];
  const runs = new Counter({
    name: 'sluice_runs_ended_total',
    help: 'Runs of syncs that ended, by status: finished, failed or cancelled',
    labelNames: ['account', 'sync', 'status'],
    registers,
  });
  const scheduled = new Gauge({
    name: 'sluice_sync_scheduled',
    help: '1 for a sync with a schedule in the configuration that is not paused there',
    labelNames: ['account', 'sync'],
    registers,
  });
  const records = new Counter({
    name: 'sluice_records_total',
    help: 'Records of ended runs, by outcome: created, updated, unchanged, merged, rejected, failed or unknown',
    labelNames: ['account', 'sync', 'outcome'],
    registers,
  });
  const events = new Counter({
    name: 'sluice_events_ended_total',
    help: 'Events that ended, by outcome: done, unchanged, superseded, discarded, failed or unknown',
    labelNames: ['account', 'route', 'outcome'],
    registers,
  });
  const campaigns = new Counter({
    name: 'sluice_campaign_runs_ended_total',
    help: 'Runs of campaigns that ended, by status: finished or cancelled',
    labelNames: ['account', 'campaign', 'status'],
    registers,
  });
  const members = new Counter({
    name: 'sluice_campaign_members_ended_total',
    help: 'Campaign members that a batch ended, by outcome: triggered, skipped, failed or unknown',
    labelNames: ['account', 'campaign', 'outcome'],
    registers,
  });
  const outbox = new Counter({
    name: 'sluice_outbox_messages_total',
    help: 'Messages of the outbox, by outcome: sent, or dead after the last attempt',
    labelNames: ['sink', 'outcome'],
    registers,
  });
  return {
    expect({ syncs: allSyncs, routes, campaigns: allCampaigns, sinks }) {
      scheduled.reset();
      for (const [sync, { account, schedule }] of Object.entries(allSyncs).slice(0, MAX_NAMES)) {
        if (schedule?.paused === false) scheduled.set({ account, sync }, 1);
        for (const status of RUNS) runs.inc({ account, sync, status }, 0);
        for (const outcome of RECORDS) records.inc({ account, sync, outcome }, 0);
      }
      for (const [route, { account }] of Object.entries(routes).slice(0, MAX_NAMES))
        for (const outcome of EVENTS) events.inc({ account, route, outcome }, 0);
      for (const [campaign, { account }] of Object.entries(allCampaigns).slice(0, MAX_NAMES)) {
        for (const status of CAMPAIGNS) campaigns.inc({ account, campaign, status }, 0);
        for (const outcome of MEMBERS) members.inc({ account, campaign, outcome }, 0);
      }
      for (const sink of Object.keys(sinks).slice(0, MAX_NAMES))
        for (const outcome of MESSAGES) outbox.inc({ sink, outcome }, 0);
    },
    runEnded({ account, sync, status }, counts) {
      runs.inc({ account, sync, status });
      for (const [outcome, count] of Object.entries(counts))
        if (count > 0) records.inc({ account, sync, outcome }, count);
    },
    eventEnded: ({ account, route, outcome }) => events.inc({ account, route, outcome }),
    campaignEnded: ({ account, campaign, status }) => campaigns.inc({ account, campaign, status }),
    memberEnded: ({ account, campaign, outcome }) => members.inc({ account, campaign, outcome }),
    outboxSettled(sink, outcome, count) {
      if (count > 0) outbox.inc({ sink, outcome }, count);
    },
  };
}
