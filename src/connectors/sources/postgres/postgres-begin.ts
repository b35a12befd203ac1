// Decides where an incremental run begins: after the last row of the finished run, or earlier if rows may have arrived
// late.
//
// A row has the time at which its transaction began, and becomes visible when that commits. So a run that read up to
// now may have missed earlier rows. Those are younger than the beginning of that run minus the longest transaction
// (`overlap`). Older rows are read exactly from the last row on, so that a large import is not read again on every run.

import { durationMs } from '../../../core/config/base.ts';
import { SourceError } from '../../../core/source.ts';
import type { PostgresSource } from './config.ts';
import type { PgSession } from './postgres-session.ts';
import type { Begin, Relation } from './postgres-sql.ts';

/** The last row that a finished run read, and when that run began (server clock). */
export interface Mark {
  readonly at: string;
  readonly key: readonly string[];
  readonly begun: string;
}

const OVERLAP = '5m';

/** @throws SourceError `bad_config` when `overlap` does not fit the kind of column */
export async function beginAfter(
  session: PgSession,
  relation: Relation,
  config: PostgresSource,
  mark: Mark,
  place: string,
): Promise<Begin> {
  const family = relation.changed?.family ?? 'other';
  const exact: Begin = { op: '>', values: [mark.at, ...mark.key] };
  const overlap = config.incremental?.overlap;
  switch (family) {
    case 'other':
      if (overlap !== undefined) throw misfit(place, 'a column of times or numbers');
      return exact;
    case 'number': {
      if (typeof overlap === 'string') throw misfit(place, 'a number, as the column has numbers');
      if (overlap === undefined || overlap === 0) return exact;
      const { rows } = await session.query('select floor($1::numeric - $2::numeric)::text', [
        mark.at,
        String(overlap),
      ]);
      return { op: '>=', values: [rows[0]?.[0] ?? mark.at] };
    }
    default: {
      if (typeof overlap === 'number') throw misfit(place, 'a time such as 5m, as the column has times');
      const back = `${durationMs(overlap ?? OVERLAP)} milliseconds`;
      const { rows } = await session.query(FLOORS[family], [mark.at, mark.begun, back]);
      const [floor, isExact] = rows[0] ?? [];
      return isExact === 't' || floor == null ? exact : { op: '>=', values: [floor] };
    }
  }
}

// A time without a zone may be in any zone. Only a time ahead of all zones is certainly in the future, and "now" is
// then the time in the latest zone. A date has no order within the day, so the day is read again as a whole.
const LOCAL = `(case when $1::timestamp > $2::timestamp + interval '14 hours'
  then $2::timestamp - interval '12 hours' else $1::timestamp end) - $3::interval`;

/**
 * `$1` the last row's time, `$2` when the run began, `$3` the overlap → where to begin, and whether exactly behind
 * the last row.
 */
const FLOORS = {
  timestamptz: `select least($1::timestamptz, $2::timestamptz - $3::interval)::text,
    $1::timestamptz < $2::timestamptz - $3::interval`,
  timestamp: `select (${LOCAL})::text, (${LOCAL}) = $1::timestamp`,
  date: `select (${LOCAL})::date::text, false`,
} as const;

function misfit(place: string, wanted: string): SourceError {
  return new SourceError('bad_config', `source ${place}: \`incremental.overlap\` needs ${wanted}`);
}
