// All endpoints of the operator API, by route.
import type { z } from 'zod';
import { ACCOUNTS } from './accounts.ts';
import { CAMPAIGN_DRAFTS } from './campaigns/campaign-drafts.ts';
import { CAMPAIGN_MEMBERS } from './campaigns/campaign-members.ts';
import { CAMPAIGN_TESTS } from './campaigns/campaign-tests.ts';
import { CAMPAIGNS } from './campaigns/campaigns.ts';
import { CODEC } from './codec.ts';
import { CONVERSATIONS } from './conversations.ts';
import { CORRECTIONS } from './events/corrections.ts';
import { EVENT_CORRECTIONS } from './events/event-corrections.ts';
import { EVENTS } from './events/events.ts';
import { REFUSALS } from './events/refusals.ts';
import { REFUSED_REQUESTS } from './events/refused-requests.ts';
import { FIRST_SYNC } from './first-sync.ts';
import { IDENTITY } from './identity.ts';
import { LEDGER } from './ledger.ts';
import { MESSAGES } from './messages.ts';
import { OUTBOX } from './outbox.ts';
import { OVERVIEW } from './overview.ts';
import { PEOPLE } from './people.ts';
import { PLANS } from './plans.ts';
import { POLLERS } from './pollers.ts';
import { SCHEDULES } from './schedules.ts';
import { SECOND_FACTOR } from './second-factor.ts';
import { SETTINGS } from './settings.ts';
import { SYNC_DEFINITIONS } from './sync-definitions.ts';
import { SYNCS } from './syncs.ts';

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
  ...OUTBOX,
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
