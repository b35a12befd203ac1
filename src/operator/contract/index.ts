// All endpoints of the operator API, by route.
import type { z } from 'zod';
import { CAMPAIGN_DRAFTS } from '../../jobs/campaigns/contract/campaign-drafts.ts';
import { CAMPAIGN_MEMBERS } from '../../jobs/campaigns/contract/campaign-members.ts';
import { CAMPAIGN_TESTS } from '../../jobs/campaigns/contract/campaign-tests.ts';
import { CAMPAIGNS } from '../../jobs/campaigns/contract/campaigns.ts';
import { CONVERSATIONS } from '../../jobs/conversations/contract/conversations.ts';
import { POLLERS } from '../../jobs/conversations/contract/pollers.ts';
import { CORRECTIONS } from '../../jobs/events/contract/corrections.ts';
import { EVENT_CORRECTIONS } from '../../jobs/events/contract/event-corrections.ts';
import { EVENTS } from '../../jobs/events/contract/events.ts';
import { MESSAGES } from '../../jobs/events/contract/messages.ts';
import { REFUSALS } from '../../jobs/events/contract/refusals.ts';
import { REFUSED_REQUESTS } from '../../jobs/events/contract/refused-requests.ts';
import { OUTBOX } from '../../jobs/outbox/contract/operator.ts';
import { SYNC_DEFINITIONS } from '../../jobs/sync/contract/definitions.ts';
import { FIRST_SYNC } from '../../jobs/sync/contract/first-sync.ts';
import { PLANS } from '../../jobs/sync/contract/plans.ts';
import { SYNCS } from '../../jobs/sync/contract/runs.ts';
import { ACCOUNTS } from './accounts.ts';
import { CODEC } from './codec.ts';
import { IDENTITY } from './identity.ts';
import { LEDGER } from './ledger.ts';
import { NOTICES } from './notices.ts';
import { OPT_OUTS } from './opt-outs.ts';
import { OVERVIEW } from './overview.ts';
import { PEOPLE } from './people.ts';
import { SCHEDULES } from './schedules.ts';
import { SECOND_FACTOR } from './second-factor.ts';
import { SETTINGS } from './settings.ts';

export const ENDPOINTS = {
  ...ACCOUNTS,
  ...CAMPAIGNS,
  ...CAMPAIGN_DRAFTS,
  ...CAMPAIGN_MEMBERS,
  ...CAMPAIGN_TESTS,
  ...CODEC,
  ...CONVERSATIONS,
  ...EVENTS,
  ...EVENT_CORRECTIONS,
  ...CORRECTIONS,
  ...FIRST_SYNC,
  ...SYNC_DEFINITIONS,
  ...IDENTITY,
  ...LEDGER,
  ...MESSAGES,
  ...OPT_OUTS,
  ...OUTBOX,
  ...NOTICES,
  ...OVERVIEW,
  ...PEOPLE,
  ...POLLERS,
  ...REFUSALS,
  ...REFUSED_REQUESTS,
  ...SECOND_FACTOR,
  ...SETTINGS,
  ...PLANS,
  ...SCHEDULES,
  ...SYNCS,
} as const;

export type Endpoints = typeof ENDPOINTS;
/** `GET /syncs/{sync}/runs` */
export type Route = keyof Endpoints;
/** What a caller gives: fields with a default may be missing. */
export type Input<R extends Route> = z.input<Endpoints[R]['input']>;
/** What a handler receives. */
export type Parsed<R extends Route> = z.output<Endpoints[R]['input']>;
export type Output<R extends Route> = z.output<Endpoints[R]['output']>;
