// A campaign with 100,000 members: what it was configured and planned as.
import { CampaignConfig } from '../../src/jobs/campaigns/config.ts';

export const MEMBERS = 100_000;
export const RUN = 'acme/+spring/1';
export const START = '2026-11-23T12:00:00.000Z';

export const SPEC = {
  account: 'acme',
  campaign: 'spring',
  timeZone: 'America/Sao_Paulo',
  sources: {},
  optOut: { tags: [], words: [] },
  config: CampaignConfig.parse({
    account: 'acme',
    flow: 1,
    connection: 1,
    audience: [{ from: 'contacts' }],
    windows: { days: { mon: ['09:00-18:00'], tue: ['09:00-18:00'], wed: ['09:00-18:00'] } },
  }),
};
export const PLAN = {
  account: 'acme',
  campaign: 'spring',
  run: RUN,
  plannedAt: START,
  plannedBy: 'user:ana',
  found: MEMBERS,
  audience: MEMBERS,
  merged: 0,
  parts: [],
  excluded: {},
  holdout: 0,
  eligible: MEMBERS,
  zones: [{ zones: ['America/Sao_Paulo'], members: MEMBERS }],
  calls: { planning: 1, triggers: MEMBERS, rechecks: 0, lookups: 0, after: 0 },
  pacePerMinute: 120,
  callsPerMinute: 120,
  waves: [],
  moreWaves: 0,
  timeZone: 'America/Sao_Paulo',
  days: [],
  moreDays: 0,
  finishAt: null,
  problems: [],
  warnings: [],
  approval: 'none',
};
