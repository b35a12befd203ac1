// A test environment whose account also takes events: what comes in is accepted as a transport would do it.
import { createHash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { CrmRecord } from '../../src/core/record.ts';
import { RouteConfig } from '../../src/jobs/events/config.ts';
import type { EventDraft, EventRequest } from '../../src/jobs/events/contract/intake.ts';
import { createAcceptance } from '../../src/jobs/events/ingress/accept.ts';
import type { Acceptance, Route } from '../../src/jobs/events/ingress/intake.ts';
import { intakeSpec } from '../../src/jobs/events/ingress/spec.ts';
import { type MappingConfig } from '../../src/mapping/config.ts';
import { type Environment, MAPPING } from './environment.ts';
import { until } from './until.ts';

/** A route of the account `acme` that makes leads; it is never asked to read. */
export function leadRoute(name: string, over: Record<string, unknown> = {}, action = {}): Route {
  const config = RouteConfig.parse({
    account: 'acme',
    http: { path: `/${name}`, auth: { type: 'none' } },
    action: { type: 'lead', mapping: 'leads', ...action },
    ...over,
  });
  return { name, config: config as Route['config'], read: () => Promise.reject(new Error('not asked')) };
}

export const eventId = (key: string) => createHash('sha256').update(key).digest('base64url').slice(0, 22);

/** A lead about person `n`, without ninth-digit forms: one upsert, and one card when a stage is given. */
export function lead(
  route: Route,
  key: string,
  n: number,
  over: Partial<CrmRecord> = {},
  rank: number | null = null,
): EventDraft {
  const number = `1415555${String(2000 + n)}`;
  const record: CrmRecord = {
    key: number,
    contact: { number, name: `Person ${n}` },
    extraInfo: [],
    tags: [],
    ...over,
  };
  return draft(route, key, `person/${number}`, { type: 'lead', record }, rank);
}

export function draft(
  route: Route,
  key: string,
  subject: string,
  request: EventRequest,
  rank: number | null = null,
): EventDraft {
  const { account } = route.config;
  return { account, route: route.name, id: eventId(`${route.name}/${key}`), subject, rank, request };
}

/** Acceptance as the ingress builds it, in the environment's ledger and queue. */
export function acceptanceOf(
  environment: Pick<Environment, 'db' | 'workQueue'>,
  client: Client,
  over: Partial<Parameters<typeof createAcceptance>[0]> = {},
): Acceptance {
  return createAcceptance({
    client,
    db: environment.db,
    taskQueue: environment.workQueue,
    maxOpen: 1000,
    maxDelayMs: 3_600_000,
    callsPerMinute: () => 60_000,
    specOf: (route) => intakeSpec(route.name, route.config, MAPPING as unknown as MappingConfig),
    ...over,
  });
}

export interface EventEndRow {
  readonly id: string;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly reason: string | null;
}

/** Waits until no event of the environment is open; answers how each ended, in the order in which they came. */
export async function untilEnded(environment: Environment): Promise<EventEndRow[]> {
  await until('all events have ended', async () => {
    const rows = await environment.db.query(`select 1 from events where state <> 'ended' limit 1`);
    return rows.length === 0;
  });
  return await environment.db.query('select id, outcome, code, reason from events order by seq');
}
