// Requests that a route refused although their sender was authenticated, with their content: somebody may correct and
// replay them. The same request that is sent again is counted, and kept once.

import { createHash } from 'node:crypto';
import { REFUSED_CONTENT } from '../../../core/encryption/columns.ts';
import { decryptValue, encryptValue } from '../../../core/encryption/values.ts';
import { pageOf } from '../../../core/page.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';
import { shortHash } from '../../../core/sql/short-hash.ts';
import type { Announced } from '../../outbox/store/outbox.ts';
import type { RefusedRequestSummary } from '../contract/refused-requests.ts';
import { type RequestNews, requestNews } from './dead-letter-news.ts';

/** Maximum number that one route keeps, so that a faulty sender displaces only its own. */
export const KEPT_PER_ROUTE = 2000;
/** The same in bytes of bodies. */
export const KEPT_BYTES_PER_ROUTE = 67_108_864;
/** Rows that are decrypted at once. */
const ROWS = 50;

export interface RefusedContent {
  /** Headers by lower-case name, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it arrived, decompressed. */
  readonly body: Uint8Array;
  /** As in a delivery. Null: the request was not signed. */
  readonly signature: { readonly id: string | null; readonly trustHeaders: boolean } | null;
}

export interface NewRefusedRequest {
  readonly account: string;
  readonly route: string;
  readonly code: string;
  /** Without any value of the request. */
  readonly reason: string;
  readonly content: RefusedContent;
}

/** Id of a refused request: the same for the same body of a route. */
export function refusedRequestId({ account, route, content }: NewRefusedRequest): string {
  const body = createHash('sha256').update(content.body).digest('base64url');
  return `rr_${shortHash(JSON.stringify([account, route, body]))}`;
}

/**
 * Adds requests, or counts them where they are kept already, and deletes the oldest ones of a route beyond its limit.
 * @returns events of those that were added
 */
export async function keepRefusedRequests(
  tx: Queryable,
  requests: readonly NewRefusedRequest[],
): Promise<Announced[]> {
  // Two processes that keep the same requests in different orders would wait for each other's rows.
  await tx.query('select pg_advisory_xact_lock(724318)');
  const news: Announced[] = [];
  for (const request of requests) {
    const id = refusedRequestId(request);
    const { account, route, code, reason, content } = request;
    const sealed = encryptValue(tx, REFUSED_CONTENT, [id], pack(content)) as Uint8Array;
    const [row] = await tx.query<{ at: Date; added: boolean }>(
      `insert into refused_requests as r (id, account, route, code, reason, bytes, content)
       values ($1, $2, $3, $4, $5, $6, decode($7, 'base64'))
       on conflict (id) do update set count = r.count + 1, last_at = now(), code = excluded.code, reason = excluded.reason
       returning first_at as at, count = 1 as added`,
      [id, account, route, code, reason, content.body.byteLength, Buffer.from(sealed).toString('base64')],
    );
    if (row?.added === true) news.push(requestNews({ id, account, route, code, reason, at: row.at }, null));
  }
  const routes = [...new Set(requests.map(({ route }) => route))].toSorted();
  for (const route of routes)
    await tx.query(
      `delete from refused_requests where route = $1 and seq <= (
         select seq from (
           select seq, row_number() over newest as place, sum(bytes) over newest as total
             from refused_requests where route = $1 window newest as (order by seq desc)) r
          where place > $2 or total > $3 order by seq desc limit 1)`,
      [route, KEPT_PER_ROUTE, KEPT_BYTES_PER_ROUTE],
    );
  return news;
}

export interface RefusedRequestFilter {
  readonly ids?: readonly string[] | undefined;
  readonly account?: string | undefined;
  readonly route?: string | undefined;
  readonly codes?: readonly string[] | undefined;
  /** Refused at this time or later. */
  readonly since?: string | undefined;
}

const SUMMARY = `id, account, route, code, reason, count, bytes, ${isoText('first_at')} as "firstAt",
  ${isoText('last_at')} as "lastAt", case when settled_how is not null then json_build_object('how', settled_how,
    'by', settled_by, 'at', ${isoText('settled_at')}, 'reason', settled_reason) end as resolution`;
const WHERE = `($1::text[] is null or id = any($1)) and ($2::text is null or account = $2)
  and ($3::text is null or route = $3) and ($4::text[] is null or code = any($4))
  and ($5::timestamptz is null or last_at >= $5)`;
const valuesOf = ({ ids, account, route, codes, since }: RefusedRequestFilter) => [
  ids ?? null,
  account ?? null,
  route ?? null,
  codes ?? null,
  since ?? null,
];

/** Newest first. @param page `settled`: also those that were replayed or discarded; `before`: `next` of the page before */
export async function listRefusedRequests(
  db: Queryable,
  filter: RefusedRequestFilter,
  page: { readonly settled: boolean; readonly limit: number; readonly before: string | null },
): Promise<{ requests: RefusedRequestSummary[]; next: string | null; total: number }> {
  const { settled, limit, before } = page;
  const isListed = `${WHERE} and ($6 or settled_how is null)`;
  const values = [...valuesOf(filter), settled];
  const rows = await db.query<RefusedRequestSummary & { readonly cursor: string }>(
    `select r.seq::text as cursor, ${SUMMARY} from refused_requests r where ${isListed} and ($7::bigint is null or seq < $7::bigint)
      order by r.seq desc limit $8`,
    [...values, before, limit + 1],
  );
  const [counted] = await db.query<{ total: number }>(
    `select count(*)::int as total from refused_requests where ${isListed}`,
    values,
  );
  const { page: shown, next } = pageOf(rows, limit, ({ cursor }) => cursor);
  return {
    requests: shown.map(({ cursor: _cursor, ...summary }) => summary),
    next,
    total: counted?.total ?? 0,
  };
}

/** The most first. @param settled also those that were replayed or discarded */
export async function countRefusedRequests(db: Queryable, account: string | undefined, settled: boolean) {
  return await db.query<{ account: string; route: string; code: string; count: number }>(
    `select account, route, code, count(*)::int as count from refused_requests
      where ($1::text is null or account = $1) and ($2 or settled_how is null)
      group by account, route, code order by count desc, account, route, code`,
    [account ?? null, settled],
  );
}

/** Open requests, the oldest first. @param page `after`: `next` of the page before */
export async function openRefusedRequests(
  db: Queryable,
  filter: RefusedRequestFilter,
  { limit, after }: { readonly limit: number; readonly after: string | null },
): Promise<{ ids: string[]; next: string | null }> {
  const rows = await db.query<{ id: string; cursor: string }>(
    `select id, r.seq::text as cursor from refused_requests r
      where ${WHERE} and settled_how is null and ($6::bigint is null or seq > $6::bigint)
      order by r.seq limit $7`,
    [...valuesOf(filter), after, limit + 1],
  );
  const { page, next } = pageOf(rows, limit, ({ cursor }) => cursor);
  return { ids: page.map(({ id }) => id), next };
}

export type RefusedRequest = RefusedRequestSummary & { readonly content: RefusedContent };

/** Null: it is not kept, or no longer. */
export async function readRefusedRequest(db: Queryable, id: string): Promise<RefusedRequest | null> {
  const [row] = await db.query<RefusedRequestSummary & { readonly content: string }>(
    `select ${SUMMARY}, encode(content, 'base64') as content from refused_requests where id = $1`,
    [id],
  );
  return row === undefined ? null : { ...row, content: open(db, row) };
}

export interface Settlement {
  readonly how: 'replayed' | 'discarded';
  readonly by: string;
  readonly reason: string | null;
}

/**
 * Takes an open request for a replay, so that nobody else replays it at the same time. A crash gives it back after a minute.
 * @returns false if it is not open, or taken
 */
export async function claimRefusedRequest(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(
    `update refused_requests set claimed_until = now() + interval '1 minute'
      where id = $1 and settled_how is null and (claimed_until is null or claimed_until < now()) returning 1`,
    [id],
  );
  return rows.length > 0;
}

/** Gives back what was not replayed. */
export async function releaseRefusedRequest(db: Queryable, id: string): Promise<void> {
  await db.query('update refused_requests set claimed_until = null where id = $1', [id]);
}

/** @returns events of the requests that were open until now */
export async function settleRefusedRequests(
  db: Queryable,
  ids: readonly string[],
  { how, by, reason }: Settlement,
): Promise<Announced[]> {
  const rows = await db.query<RequestNews>(
    `update refused_requests set settled_how = $2, settled_by = $3, settled_reason = $4, settled_at = now()
      where id = any($1) and settled_how is null
     returning id, account, route, code, reason, settled_at as at`,
    [ids, how, by, reason],
  );
  return rows.map((row) => requestNews(row, { how, by }));
}

/** What the content of a request may name a person by. */
export interface PersonNames {
  /** The last eight digits of the number. */
  readonly tail: string | null;
  readonly email: string | null;
}

/** The account's requests whose content names the person, oldest first. */
export async function* refusedRequestsOf(db: Queryable, account: string, names: PersonNames) {
  if (names.tail === null && names.email === null) return;
  for (let after = '0'; ; ) {
    const rows = await db.query<{ id: string; cursor: string; route: string; at: string; content: string }>(
      `select id, r.seq::text as cursor, route, ${isoText('last_at')} as at, encode(content, 'base64') as content
         from refused_requests r where account = $1 and seq > $2::bigint order by r.seq limit $3`,
      [account, after, ROWS],
    );
    for (const row of rows) {
      const content = open(db, row);
      if (namesPerson(content, names)) yield { ...row, content };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) return;
    after = last.cursor;
  }
}

/** Deletes the account's requests whose content names the person. @returns the number of requests */
export async function eraseRefusedRequests(
  tx: Queryable,
  account: string,
  names: PersonNames,
): Promise<number> {
  const found: string[] = [];
  for await (const { id } of refusedRequestsOf(tx, account, names)) found.push(id);
  await tx.query('delete from refused_requests where id = any($1)', [found]);
  return found.length;
}

const JSON_ESCAPE = /\\u([\da-f]{4})/gi;
/** Signs that people write inside a phone number. */
const IN_NUMBERS = /[\s().+/-]/g;

function namesPerson({ headers, body }: RefusedContent, { tail, email }: PersonNames): boolean {
  const raw = [...Object.values(headers), Buffer.from(body).toString('utf8')].join('\n');
  // JSON may escape any character.
  const text = raw
    .replace(JSON_ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .toLowerCase();
  if (email !== null && text.includes(email.toLowerCase())) return true;
  return tail !== null && text.replace(IN_NUMBERS, '').includes(tail);
}

/**
 * Deletes requests that were last refused this number of days ago.
 * @returns the number of requests; a further call may find more
 */
export async function forgetRefusedRequests(db: Queryable, days: number, limit = 1000): Promise<number> {
  const rows = await db.query(
    `delete from refused_requests where id in (
       select id from refused_requests where last_at < now() - make_interval(secs => $1::float8 * 86400)
        order by last_at limit $2) returning 1`,
    [days, limit],
  );
  return rows.length;
}

function pack({ headers, body, signature }: RefusedContent): Buffer {
  return Buffer.from(JSON.stringify({ headers, signature, body: Buffer.from(body).toString('base64') }));
}

function open(db: Queryable, { id, content }: { readonly id: string; readonly content: string }) {
  const packed = decryptValue(db, REFUSED_CONTENT, [id], Buffer.from(content, 'base64'));
  const { headers, signature, body } = JSON.parse(packed.toString('utf8'));
  return { headers, signature, body: Buffer.from(body, 'base64') } as RefusedContent;
}
