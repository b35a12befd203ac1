// The pages of a run while it is planned: which people they brought, and the packed records of people with nothing to
// do. A million unchanged rows take 250 rows here instead of a million in run_records. They are deleted when planning
// ends.

import { PAGE_CHUNK } from '../../../../core/encryption/columns.ts';
import { decryptValue, encryptValue } from '../../../../core/encryption/values.ts';
import { toJson } from '../../../../core/json/stored-json.ts';
import { plainArray, type Queryable } from '../../../../core/sql/database.ts';
import { PLACES, SeenKeys } from './seen-keys.ts';

/** What one process remembers of the people that a run has seen. It is only valid while the run's row is locked. */
export interface PlanMemory {
  /** Number of pages that `seen` covers. Set before `seen` changes. */
  pages: number;
  readonly seen: SeenKeys;
}

const newMemory = (): PlanMemory => ({ pages: 0, seen: new SeenKeys() });

/**
 * Brings the memory up to `run.pages`: adds pages that other processes planned, or this process before a restart.
 * Call it with the run's row locked.
 */
export async function catchUp(
  tx: Queryable,
  run: { id: string; pages: number },
  known: PlanMemory | undefined,
): Promise<PlanMemory> {
  // The memory is ahead of the ledger because the transaction of its last page was rolled back.
  const memory = known === undefined || known.pages > run.pages ? newMemory() : known;
  while (memory.pages < run.pages) {
    const pages = await tx.query<{ page: number; keys: Uint8Array; places: Uint8Array }>(
      'select page, keys, places from plan_pages where run_id = $1 and page > $2 order by page limit 100',
      [run.id, memory.pages],
    );
    if (pages.length === 0)
      throw new Error(`the ledger has lost pages of run ${run.id} behind page ${memory.pages}`);
    for (const page of pages) {
      memory.seen.apply(page);
      memory.pages = page.page;
    }
  }
  return memory;
}

export async function addPage(
  tx: Queryable,
  runId: string,
  page: number,
  added: ReadonlyMap<string, number>,
  packed: { bytes: Uint8Array; ends: readonly number[] },
): Promise<void> {
  const { keys, places } = SeenKeys.encode(added);
  const { bytes, ends } = encryptedChunks(tx, runId, page, packed);
  // Uses Base64, because PGlite converts bytes to hexadecimal digits one by one: measured, 60 ms a page instead of
  // 15.
  await tx.query(
    `insert into plan_pages (run_id, page, keys, places, ends, packed)
     values ($1, $2, decode($3, 'base64'), decode($4, 'base64'), $5, decode($6, 'base64'))`,
    [runId, page, base64(keys), base64(places), ends, base64(bytes)],
  );
}

function encryptedChunks(
  tx: Queryable,
  runId: string,
  page: number,
  packed: { bytes: Uint8Array; ends: readonly number[] },
): { bytes: Uint8Array; ends: readonly number[] } {
  if (tx.cipher === undefined) return packed;
  const chunks = packed.ends.map((end, chunk) => {
    const plain = packed.bytes.subarray(packed.ends[chunk - 1] ?? 0, end);
    return encryptValue(tx, PAGE_CHUNK, [runId, page, chunk], plain) as Uint8Array;
  });
  let at = 0;
  const ends = chunks.map(({ length }) => {
    at += length;
    return at;
  });
  return { bytes: Buffer.concat(chunks), ends };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** A chunk of packed records: the `chunk`th of page `page`, counted from 0. */
export interface ChunkRef {
  readonly page: number;
  readonly chunk: number;
}

/** Reads chunks. Each costs the database pages it occupies, not the whole blob. */
export async function readChunks(
  tx: Queryable,
  runId: string,
  refs: readonly ChunkRef[],
): Promise<(ChunkRef & { bytes: Uint8Array })[]> {
  if (refs.length === 0) return [];
  const chunks = await tx.query<ChunkRef & { bytes: Uint8Array }>(
    `select p.page, r.chunk,
            substring(p.packed from coalesce(p.ends[r.chunk], 0) + 1
                               for p.ends[r.chunk + 1] - coalesce(p.ends[r.chunk], 0)) as bytes
       from unnest($2::int[], $3::int[]) as r(page, chunk)
       join plan_pages p on p.run_id = $1 and p.page = r.page`,
    [runId, refs.map(({ page }) => page), refs.map(({ chunk }) => chunk)],
  );
  return chunks.map(({ page, chunk, bytes }) => ({
    page,
    chunk,
    bytes: decryptValue(tx, PAGE_CHUNK, [runId, page, chunk], bytes),
  }));
}

export async function dropPages(tx: Queryable, runId: string): Promise<void> {
  await tx.query('delete from plan_pages where run_id = $1', [runId]);
}

export function placeOf(page: number, index: number): number {
  return page * PLACES + index;
}

export function pageOf(place: number): { page: number; index: number } {
  return { page: Math.floor(place / PLACES), index: place % PLACES };
}

export interface Candidate {
  readonly key: string;
  readonly hashes: string;
  readonly stage: string;
}

/** Positions of the records that may have something to do. */
export interface Differing {
  /** Of people in the ledger. */
  readonly changed: ReadonlySet<number>;
  /** Of people that the ledger does not know. */
  readonly unknown: ReadonlySet<number>;
}

/**
 * Finds the records that may have something to do: all except those whose hashes and stage equal what was sent last
 * and whose people wait for no tag. Measured with PGlite: 2 µs per record of a person new to the ledger, 13 µs per
 * record of another person with a card, which is a tenth of fetching the people.
 * @param pipeline the pipeline of the mapping's card; null when it asks for none
 */
export async function findDiffering(
  tx: Queryable,
  account: string,
  pipeline: string | null,
  rows: readonly Candidate[],
): Promise<Differing> {
  if (rows.length === 0) return { changed: new Set(), unknown: new Set() };
  // Sends only keys first: sending the hashes of new people costs more than finding that they are new.
  const known = await findKnown(tx, account, rows);
  const unknown = new Set(rows.keys());
  for (const n of known) unknown.delete(n);
  const differing = await findChanged(
    tx,
    account,
    pipeline,
    known.map((n) => rows[n] as Candidate),
  );
  return { changed: new Set(differing.map((n) => known[n] as number)), unknown };
}

/** Positions of the records whose people are in the ledger. */
async function findKnown(tx: Queryable, account: string, rows: readonly Candidate[]): Promise<number[]> {
  // "limit 1" keeps the planner at one index look-up per row. Without statistics, which PGlite never gathers, it
  // would read the whole table for each page. The result is one text, because PGlite returns rows one by one.
  const [found] = await tx.query<{ list: string | null }>(
    `select string_agg(n::text, ',') as list
       from unnest($2::text::text[]) with ordinality as s(key, n)
       join lateral (select id from people where account = $1 and key = s.key limit 1) p on true`,
    [account, plainArray(rows.map(({ key }) => key))],
  );
  return positions(found?.list);
}

/** Positions of the records whose hashes or stage differ from what was sent last, or whose people wait for a tag. */
async function findChanged(
  tx: Queryable,
  account: string,
  pipeline: string | null,
  rows: readonly Candidate[],
): Promise<number[]> {
  if (rows.length === 0) return [];
  const keys = plainArray(rows.map(({ key }) => key));
  const hashes = plainArray(rows.map((row) => row.hashes));
  const person = `left join lateral (
     select id, hash_contact || hash_extra || hash_tags as hashes, remote_id is not null and tags_missing = '[]' as settled
       from people where account = $1 and key = s.key limit 1) p on true`;
  const alike = 'p.settled and p.hashes = s.hashes';
  const differing =
    pipeline === null
      ? `select s.n
           from unnest($2::text::text[], $3::text::text[]) with ordinality as s(key, hashes, n) ${person}
          where (${alike}) is not true`
      : `select s.n
           from rows from (unnest($2::text::text[]), unnest($3::text::text[]), jsonb_array_elements_text($4))
                with ordinality as s(key, hashes, stage, n) ${person}
           left join lateral (
             select '=' || stage as stage from cards
              where account = $1 and person_id = p.id and pipeline = $5 limit 1) c on true
          where (${alike}
                 and (s.stage = '' or s.stage = c.stage or s.stage = '?' and c is not null)) is not true`;
  const [found] = await tx.query<{ list: string | null }>(
    `select string_agg(n::text, ',') as list from (${differing}) d`,
    pipeline === null
      ? [account, keys, hashes]
      : [account, keys, hashes, toJson(rows.map(({ stage }) => stage)), pipeline],
  );
  return positions(found?.list);
}

function positions(list: string | null | undefined): number[] {
  return list == null ? [] : list.split(',').map((n) => Number(n) - 1);
}
