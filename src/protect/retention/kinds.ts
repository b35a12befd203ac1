// The kinds of data that the ledger deletes after a time, each with its key in sluice.yaml and its statement. What is
// not listed here is bounded by the number of people, cards, runs of campaigns, or operators.
import type { Config } from '../../config/schema/config.ts';
import type { Database } from '../../core/sql/database.ts';
import { forgetOwnIntents } from '../../core/store/intents.ts';
import { forgetMembers, forgetTouches, forgetVariables } from '../../jobs/campaigns/store/forget.ts';
import { stampBeforeForgetting } from '../../jobs/campaigns/store/results.ts';
import { forgetGaps, forgetMessages } from '../../jobs/conversations/store/forget.ts';
import { forgetDeliveries, forgetEvents, forgetRanks } from '../../jobs/events/store/event-end.ts';
import { forgetRefusedRequests } from '../../jobs/events/store/refused-requests.ts';
import { forgetUploads } from '../../jobs/events/store/uploads.ts';
import { forgetDead } from '../../jobs/outbox/store/forget.ts';
import { forgetRunRows, forgetRuns } from '../../jobs/sync/store/run-forget.ts';
import { forgetAudit } from '../../operator/store/audit.ts';
import { forgetCalls, forgetMinutes } from '../../operator/store/calls.ts';
import { forgetRefusals } from '../../operator/store/refusals.ts';

export interface Step {
  readonly db: Database;
  readonly days: number;
  /** Maximum number of rows that one call deletes, about. */
  readonly limit: number;
  /** As the step before returned it. */
  readonly position: string | null;
}

export interface StepResult {
  readonly deleted: number;
  /** Call again at once. */
  readonly more: boolean;
  /** @default as before */
  readonly position?: string | null;
}

export interface Kind {
  readonly kind: string;
  /** Key of sluice.yaml that decides. */
  readonly setting: string;
  /** Tables that grow with this kind. */
  readonly tables: readonly string[];
  /** The configured duration. */
  keeps(config: Pick<Config, 'retention' | 'ingress'>): string;
  /** Runs before the first step of a pass. */
  prepare?(db: Database, days: number): Promise<void>;
  step(step: Step): Promise<StepResult>;
}

type Delete = (db: Database, days: number, limit: number) => Promise<number>;

/** Runs each statement until it finds nothing more. */
const each =
  (...statements: readonly Delete[]): Kind['step'] =>
  async ({ db, days, limit }) => {
    for (const statement of statements) {
      const deleted = await statement(db, days, limit);
      if (deleted > 0) return { deleted, more: true };
    }
    return { deleted: 0, more: false };
  };

const retained = (key: keyof Config['retention']) => ({
  setting: `retention.${key}`,
  keeps: ({ retention }: Pick<Config, 'retention'>) => retention[key],
});

const remembered = {
  setting: 'ingress.remember',
  keeps: ({ ingress }: Pick<Config, 'ingress'>) => ingress.remember,
};

/** One upload may have many megabytes. */
const MOST_UPLOADS = 20;

export const KINDS: readonly Kind[] = [
  {
    kind: 'calls',
    ...retained('calls'),
    tables: ['calls'],
    step: each(forgetCalls),
  },
  {
    kind: 'minutes',
    ...retained('minutes'),
    tables: ['call_minutes'],
    step: each(forgetMinutes),
  },
  {
    kind: 'events',
    ...remembered,
    tables: ['events', 'event_ranks', 'deliveries'],
    // Campaigns record the results of their events before these are deleted.
    prepare: stampBeforeForgetting,
    step: each(forgetEvents, forgetRanks, forgetDeliveries, forgetOwnIntents),
  },
  {
    kind: 'uploads',
    ...retained('uploads'),
    tables: ['uploads', 'upload_parts'],
    step: each((db, _, limit) => forgetUploads(db, Math.min(limit, MOST_UPLOADS))),
  },
  {
    kind: 'members',
    ...retained('members'),
    tables: ['campaign_members', 'campaign_touches', 'campaign_reached'],
    step: each(
      (db, _, limit) => forgetVariables(db, limit),
      (db, days, limit) => forgetMembers(db, days, new Date(), limit),
      (db, _, limit) => forgetTouches(db, limit),
    ),
  },
  {
    kind: 'rows',
    ...retained('rows'),
    tables: ['run_records', 'row_identities', 'row_problems', 'run_warnings', 'missing_tags', 'merged_rows'],
    step: each(forgetRunRows),
  },
  { kind: 'runs', ...retained('runs'), tables: ['runs'], step: each(forgetRuns) },
  {
    kind: 'messages',
    ...retained('messages'),
    tables: ['messages', 'conversations', 'poll_gaps'],
    async step({ db, days, limit, position }) {
      const { deleted, next } = await forgetMessages(db, days, limit, position);
      if (next !== null) return { deleted, more: true, position: next };
      const gaps = await forgetGaps(db, days, limit);
      return { deleted: gaps, more: gaps > 0 };
    },
  },
  {
    kind: 'dead',
    ...retained('dead'),
    tables: ['outbox'],
    step: each(forgetDead),
  },
  {
    kind: 'audit',
    ...retained('audit'),
    tables: ['operator_audit', 'campaign_audit'],
    step: each(forgetAudit),
  },
  {
    kind: 'refusals',
    ...retained('refusals'),
    tables: ['refusals', 'refusal_hours'],
    step: each(forgetRefusals),
  },
  {
    kind: 'refused',
    ...retained('refused'),
    tables: ['refused_requests'],
    step: each(forgetRefusedRequests),
  },
];
