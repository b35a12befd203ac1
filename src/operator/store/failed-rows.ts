// Rejected rows of a period, and what became of them. A row is known by its number, which means something only within one
// source: a file of corrections, and the file of another week, number their rows from 1 again.

const isPartial = (run: string) => `coalesce(${run}.spec ->> 'partial' = 'true', false)`;
const sameSync = (run: string) =>
  `${run}.account = r.account and ${run}.sync = r.sync and ${run}.kind = 'sync'`;

/** A later run that has read the whole of the same source, and meets a condition. `of`: the run that read it before. */
const wholeAgain = (of: string, condition = 'true') => `exists (
  select 1 from runs l
   where ${sameSync('l')} and l.seq > r.seq and l.status = 'finished' and not ${isPartial('l')}
     and l.spec -> 'source' = ${of}.spec -> 'source' and ${condition})`;

/** Runs over corrections that follow a run, before the source is read again. */
const corrections = (columns: string) => `
  select ${columns} from runs l
   where ${sameSync('l')} and l.seq > r.seq and l.status = 'finished' and ${isPartial('l')}
     and not exists (select 1 from runs m
                      where ${sameSync('m')} and m.seq > r.seq and m.seq < l.seq and not ${isPartial('m')})`;

/**
 * Columns kind, account, name, run, outcome, code, reason, at and fate. $1, $2: period.
 * Of rows that were handed in again, only the number is known: those that the last corrections refused are listed with
 * these, those that no corrections had are listed with the run that read the source.
 */
export const REJECTED_ROWS = `
  select 'row', r.account, r.sync, r.id, 'failed', p.code, p.reason, coalesce(r.finished_at, r.started_at),
         case when p.is_partial then
                case when exists (${corrections('1')}) or ${wholeAgain('b')} then 'elsewhere' end
              when ${wholeAgain('r', "exists (select 1 from row_problems q where q.run_id = l.id and q.row_no = p.row_no and q.code = p.code and q.kind = 'reject')")}
                then 'elsewhere'
              when not jsonb_path_exists(r.spec, '$.source.incremental') and ${wholeAgain('r')} or p.place <= f.corrected
                then case when p.is_first then 'repaired' else 'elsewhere' end
              when p.place <= f.corrected + f.refused then 'elsewhere' end
    from runs r
    join lateral (select row_no, code, max(reason) as reason, ${isPartial('r')} as is_partial,
                         dense_rank() over (order by row_no) as place,
                         row_number() over (partition by row_no order by code) = 1 as is_first
                    from row_problems where run_id = r.id and kind = 'reject' group by row_no, code) p on true
    left join lateral (select spec from runs b
                        where ${sameSync('b')} and b.seq < r.seq and not ${isPartial('b')} order by b.seq desc limit 1) b on true
    join lateral (${corrections(`coalesce(sum(greatest(0, l.rows_read - l.rows_rejected)), 0) as corrected,
                    coalesce((array_agg(l.rows_rejected order by l.seq desc))[1], 0) as refused`)}) f on true
   where r.started_at < $2 and (r.finished_at is null or r.finished_at >= $1) and r.kind in ('sync', 'retry')`;
