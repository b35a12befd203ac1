// The PostgreSQL source. It pages in the order of a key, with a short transaction for each read.
import { createHash } from 'node:crypto';
import { durationMs } from '../../../core/config/base.ts';
import {
  type Source,
  type SourceCursor,
  SourceError,
  type SourcePage,
  type SourceRow,
} from '../../../core/source.ts';
import { problemRow } from '../pages.ts';
import { resolveSecret, type SecretOf } from '../secret.ts';
import type { PostgresSource } from './config.ts';
import { beginAfter, type Mark } from './postgres-begin.ts';
import { type PgSession, withSession } from './postgres-session.ts';
import {
  type Begin,
  describe,
  orderOf,
  type Phase,
  pageStatement,
  type Relation,
  unkeyedStatement,
} from './postgres-sql.ts';
import { UnreadableValue } from './postgres-values.ts';

const FORMAT = 'postgres-1';

// Node's timers and the server's setting end at 2^31 ms.
const MAX_TIMEOUT_MS = 24 * 3_600_000;

/** Number of rows fetched from the server at once. */
const FETCH_ROWS = 500;

// A page ends early after this many characters: 2,000 rows of 1 MB each must not make one page of 2 GB.
const MAX_PAGE_CHARS = 8 * 1024 * 1024;

type Cells = readonly (string | null)[];

interface Place {
  readonly phase: Phase;
  /** The previous row: its values in the order of the phase. Null at the beginning of the phase. */
  readonly after: readonly string[] | null;
  /** Number of the previous row. */
  readonly row: number;
  /** Time at which the run began, by the server's clock. */
  readonly begun: string;
}

/**
 * A table or a select. Rows come in the order of `key`, or of the increment column and then `key`.
 *
 * - A run reads every row that exists throughout the run, even if the row changes meanwhile: the run reads it again at
 *   its new place. So the run ends at the first page that is not full, and the watermark is the last row in order.
 * - Every run reads rows with a null in the increment column, before the others. Rows with a null in the key are
 *   problem rows.
 * - A watermark made under another table, query, key, column or server does not count: all rows are read.
 */
export function postgresSource(config: PostgresSource, secret: SecretOf): Source {
  const place = config.table ?? 'with a query';
  return {
    async read(cursor, { limit, signal, since }) {
      const url = await resolveSecret(config.url, secret, place);
      const session = {
        url,
        tls: config.tls,
        timeoutMs: Math.min(durationMs(config.timeout), MAX_TIMEOUT_MS),
        place,
        signal,
      };
      return await withSession(session, (db, server) =>
        readPostgresPage(db, config, { cursor, limit, since: since ?? null, server }),
      );
    },
  };
}

/** Reads one page in a session's transaction. */
export async function readPostgresPage(
  session: PgSession,
  config: PostgresSource,
  options: { cursor: SourceCursor | null; limit: number; since: SourceCursor | null; server: string },
): Promise<SourcePage> {
  const { cursor, limit } = options;
  const place = config.table ?? 'with a query';
  const relation = await describe(session, config, place);
  const source = hash(JSON.stringify([config.table, config.query, relation.key, relation.changed?.name]));
  const rows: SourceRow[] = [];
  let at = cursor === null ? await firstPlace(session, relation) : resume(cursor, source, place);
  if (cursor === null) {
    const unkeyed = await findUnkeyed(session, relation, limit, place);
    rows.push(...unkeyed.map((each, index) => ({ row: index + 1, ...each })));
    at = { ...at, row: rows.length };
  }
  const mark = readMark(options.since, source, hash(options.server), relation);
  for (;;) {
    const left = limit - rows.length;
    if (left <= 0) return { rows, next: writeCursor(at, source), progress: null };
    const begin = await beginOf(at, () =>
      mark === null ? null : beginAfter(session, relation, config, mark, place),
    );
    const page = await fetchPage(session, relation, at.phase, begin, left);
    const order = orderOf(relation, at.phase).map((name) =>
      relation.columns.findIndex((one) => one.name === name),
    );
    requireDistinct(page, at.after, order, relation, place);
    for (const [index, cells] of page.rows.entries())
      rows.push({ row: at.row + index + 1, ...convert(cells, relation) });
    const last = page.rows.at(-1);
    const after = last === undefined ? at.after : order.map((index) => last[index] ?? '');
    at = { ...at, after, row: at.row + page.rows.length };
    if (page.more) return { rows, next: writeCursor(at, source), progress: null };
    if (at.phase === 'undated') {
      at = { ...at, phase: 'ordered', after: null };
      continue;
    }
    const end = after === null ? mark : { at: after[0] ?? '', key: after.slice(1) };
    if (relation.changed === null || end === null) return { rows, next: null, progress: 1 };
    const watermark = {
      format: FORMAT,
      source,
      server: hash(options.server),
      at: end.at,
      key: end.key,
      begun: at.begun,
    };
    return { rows, next: null, progress: 1, watermark };
  }
}

async function firstPlace(session: PgSession, { changed }: Relation): Promise<Place> {
  const { rows } = await session.query('select now()::text');
  return { phase: changed === null ? 'ordered' : 'undated', after: null, row: 0, begun: rows[0]?.[0] ?? '' };
}

async function beginOf(at: Place, fromMark: () => Promise<Begin> | null): Promise<Begin | null> {
  if (at.after !== null) return { op: '>', values: at.after };
  return at.phase === 'ordered' ? await fromMark() : null;
}

interface Page {
  readonly rows: readonly Cells[];
  readonly more: boolean;
  /** The first row of the next page, if known. */
  readonly ahead: Cells | undefined;
}

async function fetchPage(
  session: PgSession,
  relation: Relation,
  phase: Phase,
  begin: Begin | null,
  limit: number,
): Promise<Page> {
  const statement = pageStatement(relation, phase, begin, limit + 1);
  await session.query(`declare sluice_rows no scroll cursor for ${statement}`, begin?.values ?? []);
  const rows: Cells[] = [];
  let chars = 0;
  let full = false;
  for (;;) {
    const { rows: some } = await session.query(`fetch forward ${FETCH_ROWS} from sluice_rows`);
    for (const cells of some) {
      rows.push(cells);
      for (const cell of cells) chars += cell?.length ?? 0;
    }
    full = rows.length > limit || (chars > MAX_PAGE_CHARS && rows.length > 1);
    if (full || some.length < FETCH_ROWS) break;
  }
  await session.query('close sluice_rows');
  const ahead = full ? rows.pop() : undefined;
  return { rows, more: full, ahead };
}

/** Rows with a null in the key cannot be paged through. Each is one problem of the run. */
async function findUnkeyed(session: PgSession, relation: Relation, limit: number, place: string) {
  const { rows } = await session.query(unkeyedStatement(relation, limit));
  const names = relation.key.join(', ');
  if (rows.length === limit) {
    const message = `source ${place}: ${limit} rows and more have no ${names}; name columns as \`key\` that are never null`;
    throw new SourceError('bad_key', message);
  }
  const reason = `the key (${names}) is null, so the row has no place in the order; fill it, or name other columns as \`key\``;
  return rows.map(() => problemRow('null_key', reason));
}

/** If several rows had the same place, all but the first would be lost at the edge of a page. */
function requireDistinct(
  page: Page,
  before: readonly string[] | null,
  order: readonly number[],
  relation: Relation,
  place: string,
): void {
  let last: readonly (string | null)[] | null = before;
  for (const cells of page.ahead === undefined ? page.rows : [...page.rows, page.ahead]) {
    const own = order.map((index) => cells[index] ?? null);
    if (last?.every((value, index) => value === own[index])) {
      const message = `source ${place}: two rows have the same ${relation.key.join(', ')}; name as \`key\` a column, or columns together, that no two rows share`;
      throw new SourceError('bad_key', message);
    }
    last = own;
  }
}

function convert(cells: Cells, { columns }: Relation): Pick<SourceRow, 'values' | 'problem'> {
  let name = '';
  try {
    const entries = columns.map((column, index) => {
      name = column.name;
      const cell = cells[index] ?? null;
      return [name, cell === null ? null : column.convert(cell)];
    });
    return { values: Object.fromEntries(entries) };
  } catch (error) {
    if (!(error instanceof UnreadableValue)) throw error;
    return problemRow('malformed_row', `column ${JSON.stringify(name)} ${error.message}`);
  }
}

function writeCursor({ phase, after, row, begun }: Place, source: string): SourceCursor {
  return { format: FORMAT, source, phase, after, row, begun };
}

function resume(cursor: SourceCursor, source: string, place: string): Place {
  const { format, phase, after, row, begun } = cursor;
  const known =
    format === FORMAT && cursor.source === source && typeof row === 'number' && typeof begun === 'string';
  if (!known || (phase !== 'undated' && phase !== 'ordered') || !(after === null || Array.isArray(after))) {
    const message = `source ${place}: the place to go on from was made for another table, query or key; start a new run`;
    throw new SourceError('changed', message);
  }
  return { phase, after, row, begun };
}

function readMark(
  since: SourceCursor | null,
  source: string,
  server: string,
  { changed }: Relation,
): Mark | null {
  if (since === null || changed === null || since.format !== FORMAT) return null;
  if (since.source !== source || since.server !== server) return null;
  const { at, key, begun } = since;
  return typeof at === 'string' && Array.isArray(key) && typeof begun === 'string'
    ? { at, key, begun }
    : null;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
