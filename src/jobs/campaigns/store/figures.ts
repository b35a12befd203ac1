// Figures of a campaign run: who was in its audience, and the outcomes. They add up: every member is in exactly one
// figure.

import type { Queryable } from '../../../core/sql/database.ts';
import type { MemberState } from '../constants.ts';
import type { CampaignFigures } from '../contract/report.ts';

interface Row {
  readonly run_id: string;
  readonly wave: number | null;
  readonly state: MemberState;
  readonly code: string | null;
  readonly members: number;
  readonly delivered: number;
  readonly read: number;
  readonly replied: number;
  readonly opted_out: number;
  readonly moved: number;
  readonly tagged: number;
}

/**
 * Figures of a run in total, or by wave number. `total` also counts members without a wave: those left out of the
 * audience, and those still waiting for a wave.
 */
export async function figuresOf(db: Queryable, run: string, by: 'total'): Promise<CampaignFigures>;
export async function figuresOf(
  db: Queryable,
  run: string,
  by: 'wave',
): Promise<ReadonlyMap<number, CampaignFigures>>;
export async function figuresOf(db: Queryable, run: string, by: 'total' | 'wave') {
  const { total, waves } = await readRunFigures(db, run);
  return by === 'total' ? total : waves;
}

/** Figures of one run, in total and by wave. Members without a wave are only in the total. */
export interface RunFigures {
  readonly total: CampaignFigures;
  readonly waves: ReadonlyMap<number, CampaignFigures>;
}

/** Figures of one run. */
export async function readRunFigures(db: Queryable, run: string): Promise<RunFigures> {
  return (await readFigures(db, [run])).get(run) as RunFigures;
}

/** Reads the members of these runs in one pass: 100,000 take 0.2 s. Runs without members have empty figures. */
async function readFigures(db: Queryable, runs: readonly string[]): Promise<ReadonlyMap<string, RunFigures>> {
  const rows = await db.query<Row>(
    `select run_id, wave, state, code, count(*)::int as members, count(delivered_at)::int as delivered,
            count(read_at)::int as read, count(replied_at)::int as replied, count(opted_out_at)::int as opted_out,
            count(moved_at)::int as moved, count(tagged_at)::int as tagged
       from campaign_members where run_id = any($1) group by run_id, wave, state, code`,
    [runs],
  );
  const byRun = grouped(rows, ({ run_id }) => run_id);
  return new Map(runs.map((run) => [run, figures(byRun.get(run) ?? [])]));
}

function figures(rows: readonly Row[]): RunFigures {
  const inWaves = rows.filter(({ wave }) => wave !== null);
  const waves = [...grouped(inWaves, ({ wave }) => wave as number)].map(
    ([wave, its]) => [wave, sumOf(its)] as const,
  );
  return { total: sumOf(rows), waves: new Map(waves) };
}

/** Counts members without a code that should have one. */
const NO_CODE = 'OTHER';

function sumOf(rows: readonly Row[]): CampaignFigures {
  const sum = (of: readonly Row[], field: keyof Row = 'members') =>
    of.reduce((total, row) => total + (row[field] as number), 0);
  const are = (state: MemberState) => rows.filter((row) => row.state === state);
  const byCode = (state: MemberState) => {
    const codes = [...grouped(are(state), ({ code }) => code ?? NO_CODE)];
    return Object.fromEntries(codes.map(([code, its]) => [code, sum(its)] as const).sort(order));
  };
  const [audience, found] = [sum(rows), sum(are('found'))];
  const [excluded, holdout, triggered] = [sum(are('excluded')), sum(are('holdout')), are('triggered')];
  return {
    audience,
    eligible: audience - found - excluded - holdout,
    found,
    holdout,
    excluded: byCode('excluded'),
    waiting: sum(are('waiting')),
    sending: sum(are('sending')),
    triggered: sum(triggered),
    delivered: sum(triggered, 'delivered'),
    read: sum(triggered, 'read'),
    replied: sum(triggered, 'replied'),
    optedOut: sum(triggered, 'opted_out'),
    moved: sum(triggered, 'moved'),
    tagged: sum(triggered, 'tagged'),
    skipped: byCode('skipped'),
    failed: byCode('failed'),
    unknown: sum(are('unknown')),
    cancelled: sum(are('cancelled')),
  };
}

function grouped<K>(rows: readonly Row[], keyOf: (row: Row) => K): Map<K, Row[]> {
  const groups = new Map<K, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

/** Most frequent first. */
function order([a, n]: readonly [string, number], [b, m]: readonly [string, number]): number {
  return m - n || (a < b ? -1 : 1);
}
