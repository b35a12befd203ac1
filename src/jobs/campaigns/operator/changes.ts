// What differs between a run's plan and the one that was approved before it.
import { isRecord } from '../../../core/config/raw.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import type { CAMPAIGNS, CampaignChanges } from '../contract/campaigns.ts';
import { type CampaignRow, listRuns } from '../store/campaigns.ts';
import { findRun } from './target.ts';

/** Earlier runs that are searched for an approved one. */
const RUNS = 50;
/** Characters of a value that are shown. */
const TEXT = 300;

type Route = Extract<keyof typeof CAMPAIGNS, 'GET /campaigns/{campaign}/changes'>;

export function changeHandlers({ db }: Pick<OperatorDeps, 'db'>): Handlers<Route> {
  return {
    'GET /campaigns/{campaign}/changes': async ({ campaign: text }) => {
      const row = await findRun(db, text);
      const { account, campaign, run_id: run } = row;
      const earlier = await listRuns(db, { account, campaign, limit: RUNS, before: run });
      const before = earlier.find(wasAccepted) ?? null;
      return {
        run,
        before:
          before === null
            ? null
            : {
                run: before.run_id,
                approvedBy: before.approved_by ?? before.started_by,
                approvedAt: (before.approved_at ?? before.started_at)?.toISOString() ?? null,
                eligible: before.plan?.eligible ?? null,
              },
        eligible: row.plan?.eligible ?? null,
        changes: before === null ? [] : changesOf(comparable(before), comparable(row)),
      };
    },
  };
}

function wasAccepted({ spec, approved_by, started_at }: CampaignRow): boolean {
  return spec.config.approval === 'second-person' ? approved_by !== null : started_at !== null;
}

/** What decides who gets what, and when. */
function comparable({ spec: { config, sources, timeZone, optOut } }: CampaignRow): Record<string, unknown> {
  return { ...config, timeZone, optOut, sources };
}

type Change = CampaignChanges['changes'][number];

/** The leaves that differ, in the order of the names. */
export function changesOf(before: unknown, after: unknown, path = ''): Change[] {
  if (JSON.stringify(ordered(before)) === JSON.stringify(ordered(after))) return [];
  if (isRecord(before) && isRecord(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) => changesOf(before[name], after[name], below(path, name)));
  }
  if (isListOfRecords(before) && isListOfRecords(after)) {
    const longer = before.length > after.length ? before : after;
    return longer.flatMap((_, n) => changesOf(before[n], after[n], `${path}[${n}]`));
  }
  return [{ path, before: textOf(before), after: textOf(after) }];
}

const isListOfRecords = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every(isRecord);
const below = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > TEXT ? `${text.slice(0, TEXT)}…` : text;
}

/** The ledger stores an object's keys in a different order. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, ordered(value[name])]));
}
