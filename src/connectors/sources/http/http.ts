// The HTTP source: a list of JSON objects behind an API, read page by page.
import { createHash } from 'node:crypto';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { durationMs } from '../../../core/config/base.ts';
import {
  type Source,
  type SourceCursor,
  SourceError,
  type SourcePage,
  type SourceRow,
} from '../../../core/source.ts';
import type { SecretOf } from '../secret.ts';
import type { HttpSource } from './config.ts';
import { totalOf } from './http-answers.ts';
import { type Login, requestOf, resolveLogin, withoutSecret } from './http-ask.ts';
import { askSince, newestIn, nextSince } from './http-change.ts';
import { headerDate } from './http-error.ts';
import { type Exchange, MAX_BODY_BYTES, openExchange } from './http-exchange.ts';
import { pagerOf } from './http-pages.ts';
import { itemsOf, rowOf } from './http-rows.ts';
import { at } from './json-path.ts';
import type { Pager, PageState } from './pager.ts';

const FORMAT = 'http-1';

// Maximum wait inside a read. For a longer one, the caller returns when the time has come.
const MAX_WAIT_MS = 15_000;
/** A read that has rows ends after this time, so that they are stored. */
const MAX_READ_MS = 20_000;
const MAX_TIMEOUT_MS = 24 * 3_600_000;

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

const MACHINE: Clock = { now: Date.now, sleep: (ms, signal) => sleepFor(ms, undefined, { signal }) };

/** Progress of a run. */
interface Progress {
  readonly pages: PageState;
  /** Number of the previous row. */
  readonly row: number;
  readonly requests: number;
  /** Time of the next request (epoch ms). 0 means at once. */
  readonly due: number;
  /** Time at which the run began (epoch ms), by the server's clock if it sends one. */
  readonly begun: number | null;
  /** Newest time of change so far (epoch ms). */
  readonly newest: number | null;
}

/**
 * A list behind an API. docs/reference/sources.md describes what each kind of paging guarantees. The cursor contains no
 * secret. It contains the request rate, so that the rate holds across processes.
 */
export function httpSource(config: HttpSource, secret: SecretOf, clock: Clock = MACHINE): Source {
  const place = config.url;
  const source = nameOf(config);
  const pager = pagerOf(config);
  return {
    async read(cursor, { limit, signal, since }) {
      const login = await resolveLogin(config, secret);
      const timeoutMs = Math.min(durationMs(config.timeout), MAX_TIMEOUT_MS);
      const exchange = openExchange({ place, timeoutMs, now: clock.now, signal });
      const from = cursor === null ? begin(pager) : resume(cursor, source, place);
      const mark =
        since?.format === FORMAT && since.source === source && typeof since.at === 'number' ? since.at : null;
      try {
        return await readPages({ config, pager, login, exchange, clock, source }, from, mark, limit, signal);
      } finally {
        await exchange.close();
      }
    },
  };
}

/** Identifies a list. The watermark of one list means nothing to another. */
function nameOf({ url, method, query, body, items, item, pagination, incremental }: HttpSource): string {
  const { param, column, format } = incremental ?? {};
  const parts = [url, method, query, body, items, item, pagination.type, param, column, format];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

interface Means {
  readonly config: HttpSource;
  readonly pager: Pager;
  readonly login: Login;
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly source: string;
}

async function readPages(
  means: Means,
  from: Progress,
  mark: number | null,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<SourcePage> {
  const { config, clock, source } = means;
  const started = clock.now();
  const rows: SourceRow[] = [];
  let progress = from;
  let bytes = 0;
  for (;;) {
    let step: Step;
    try {
      await waitFor(progress.due, config.url, clock, signal);
      step = await requestPage(means, progress, mark);
    } catch (error) {
      if (!(error instanceof SourceError) || !error.retryable || rows.length === 0) throw error;
      // The rows already read are kept. If the error persists, the next read meets it again.
      const due = clock.now() + (error.retryAfterMs ?? 0);
      return { rows, next: writeCursor({ ...progress, due }, source), progress: null };
    }
    rows.push(...step.rows);
    bytes += step.bytes;
    progress = step.progress;
    const share = step.total === null || step.total === 0 ? null : Math.min(1, progress.row / step.total);
    if (step.ended) return { rows, next: null, progress: 1, ...watermarkOf(config, progress, mark, source) };
    const full = rows.length + step.rows.length > limit || rows.length >= limit || bytes > MAX_BODY_BYTES;
    if (full || (rows.length > 0 && clock.now() - started > MAX_READ_MS)) {
      return { rows, next: writeCursor(progress, source), progress: share };
    }
  }
}

interface Step {
  readonly rows: readonly SourceRow[];
  readonly progress: Progress;
  readonly ended: boolean;
  readonly total: number | null;
  readonly bytes: number;
}

async function requestPage(means: Means, progress: Progress, mark: number | null): Promise<Step> {
  const { config, pager, login, exchange, clock } = means;
  const { incremental, url: place, pagination } = config;
  if (progress.requests >= config.maxPages) {
    const message = `source ${place}: the list has not ended after ${config.maxPages} requests; check \`pagination\`, ask for more rows per page, or raise \`maxPages\``;
    throw new SourceError('endless', message);
  }
  const changed =
    incremental === undefined || mark === null
      ? null
      : { name: incremental.param, value: askSince(incremental, mark) };
  const sentAt = clock.now();
  const pause = config.rate === undefined ? 0 : Math.ceil(60_000 / config.rate.perMinute);
  const answer = await exchange
    .send(requestOf(config, pager.ask(progress.pages), changed, login))
    .catch((error: unknown) => {
      throw paced(error, pause);
    });
  const items = itemsOf(answer.body, config);
  const { fresh, next } = pager.take(progress.pages, {
    items,
    body: answer.body,
    linkHeader: answer.headers.get('link'),
  });
  const values = fresh.map((entry) => at(entry, config.item));
  return {
    rows: values.map((value, index) => ({ row: progress.row + index + 1, ...rowOf(value, config.item) })),
    progress: {
      pages: next === null ? {} : guarded(next, login, config),
      row: progress.row + fresh.length,
      requests: progress.requests + 1,
      due: pause === 0 ? 0 : sentAt + pause,
      begun: progress.begun ?? headerDate(answer.headers.get('date')) ?? sentAt,
      newest: incremental === undefined ? null : newestIn(values, incremental.column, progress.newest, place),
    },
    ended: next === null,
    total: 'total' in pagination ? totalOf(pagination, answer.body) : null,
    bytes: answer.bytes,
  };
}

/** Failed requests count against the rate too. */
function paced(error: unknown, pause: number): unknown {
  if (!(error instanceof SourceError) || !error.retryable || pause === 0) return error;
  const retryAfterMs = Math.max(error.retryAfterMs ?? 0, pause);
  return new SourceError(error.code, error.message, { retryable: true, retryAfterMs });
}

async function waitFor(
  due: number,
  place: string,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  const wait = due - clock.now();
  if (wait <= 0) return;
  if (wait > MAX_WAIT_MS) {
    const message = `source ${place}: the next request is due in ${Math.ceil(wait / 1000)} s`;
    throw new SourceError('busy', message, { retryable: true, retryAfterMs: Math.ceil(wait) });
  }
  await clock.sleep(wait, signal).catch((error: unknown) => {
    throw signal?.aborted === true ? signal.reason : error;
  });
}

function guarded(pages: PageState, login: Login, config: HttpSource): PageState {
  const { token } = pages;
  return typeof token === 'string' ? { ...pages, token: withoutSecret(token, login, config) } : pages;
}

function watermarkOf(config: HttpSource, { newest, begun }: Progress, mark: number | null, source: string) {
  if (config.incremental === undefined || begun === null) return {};
  const since = nextSince(newest, begun, mark);
  return since === null ? {} : { watermark: { format: FORMAT, source, at: since } };
}

function begin(pager: Pager): Progress {
  return { pages: pager.first, row: 0, requests: 0, due: 0, begun: null, newest: null };
}

function writeCursor({ pages, ...rest }: Progress, source: string): SourceCursor {
  return { ...pages, ...rest, format: FORMAT, source };
}

function resume(cursor: SourceCursor, own: string, place: string): Progress {
  const { format, source, row, requests, due, begun, newest, ...pages } = cursor;
  if (format !== FORMAT || source !== own) {
    const message = `source ${place}: the place to go on from was made for another list; start a new run`;
    throw new SourceError('changed', message);
  }
  return { pages, row, requests, due, begun, newest } as Progress;
}
