// Encrypts values from before the encryption, and values of older keys, with the newest key: in small steps, beside
// everything else.
import { randomUUID } from 'node:crypto';
import { DamagedValueError, type LedgerCipher, UnknownLedgerKeyError } from '../../core/encryption/cipher.ts';
import { ENCRYPTED_COLUMNS, type EncryptedColumn } from '../../core/encryption/columns.ts';
import { newestKey, retireKeys } from '../../core/encryption/known-keys.ts';
import { decryptRow, encryptValue } from '../../core/encryption/values.ts';
import { toJson } from '../../core/json/stored-json.ts';
import { type Database, LedgerError, type Queryable } from '../../core/sql/database.ts';
import { claimKind, endPass, reportStep } from '../retention/states.ts';

/** The name under which the passes share the work, as kinds of retention do. */
const KIND = 'encryption';
/** Rows that one step reads. A part of a file has a megabyte. */
const STEP_ROWS = { jsonb: 200, bytea: 4 } as const;
/** Rest after a step, as a multiple of its time. */
const REST = 3;
/** A pass that changed something is repeated at once, because others may still have written meanwhile. */
const MOST_PASSES = 5;
/** After a complete pass: a process that lacks the key may have written since. */
const DAY_MS = 24 * 3_600_000;

export interface EncryptOptions {
  readonly db: Database;
  readonly signal: AbortSignal;
  /** Resolves after this time, or when the signal aborts. */
  rest(ms: number): Promise<void>;
  /** A value cannot be decrypted. It stays as it is, and the others continue. */
  failed(error: unknown): void;
}

/**
 * Runs until every value is encrypted with the first key. Does nothing without keys, while another process does it,
 * while a newer key than the first one encrypts, and within a day after it was complete.
 * @returns number of values that were encrypted
 */
export async function encryptAgain(options: EncryptOptions): Promise<number> {
  const { db, signal } = options;
  const { cipher } = db;
  if (cipher === undefined || (await newestKey(db)) !== cipher.ids[0]) return 0;
  const [last] = await db.query<{ position: string | null }>(
    'select position from retention where kind = $1',
    [KIND],
  );
  const claim = { kind: KIND, by: randomUUID() };
  const wasComplete = last?.position === cipher.ids[0];
  const everyMs = wasComplete ? DAY_MS : 0;
  if ((await claimKind(db, claim, everyMs)) === undefined) return 0;
  const report = (deleted: number, position: string | null) => reportStep(db, claim, { deleted, position });
  let total = 0;
  try {
    for (let passes = 0; passes < MOST_PASSES && !signal.aborted; passes++) {
      const pass = await passOver(options, cipher, (n) => report(n, null));
      if (pass === null) break;
      total += pass.changed;
      if (pass.found > pass.changed || (await hasTransient(db, cipher))) break;
      if (pass.found > 0) continue;
      await report(0, cipher.ids[0]);
      // During a rotation, processes that have not restarted yet still write with the key before. So the other keys are
      // forgotten only when nobody has used them for a day.
      if (wasComplete && total === 0) await retireKeys(db, cipher.ids[0]);
      break;
    }
    await endPass(db, claim, null, !signal.aborted);
    return total;
  } catch (error) {
    const code = error instanceof LedgerError && error.code !== null ? error.code : 'UNEXPECTED';
    await endPass(db, claim, code);
    throw error;
  }
}

/** @returns null when another process has the work now, or the signal aborted */
async function passOver(
  { db, signal, rest, failed }: EncryptOptions,
  cipher: LedgerCipher,
  report: (changed: number) => Promise<boolean>,
): Promise<Pick<Step, 'found' | 'changed'> | null> {
  const total = { found: 0, changed: 0 };
  for (const column of ENCRYPTED_COLUMNS) {
    if (column.key === null) continue;
    for (let after: readonly unknown[] | null = []; after !== null; ) {
      if (signal.aborted) return null;
      const began = performance.now();
      const step: Step = await encryptStep(db, cipher, column, after, failed);
      total.found += step.found;
      total.changed += step.changed;
      after = step.last;
      if (!(await report(step.changed))) return null;
      await rest((performance.now() - began) * REST);
    }
  }
  return total;
}

interface Step {
  readonly found: number;
  readonly changed: number;
  /** Primary key of the last row; null after the last step. */
  readonly last: readonly unknown[] | null;
}

type Row = Readonly<Record<string, unknown>> & { readonly version: string; readonly outdated: boolean };

/** @param after primary key of the last row of the step before; empty for the first step */
async function encryptStep(
  db: Database,
  cipher: LedgerCipher,
  { key, ...column }: EncryptedColumn,
  after: readonly unknown[],
  failed: (error: unknown) => void,
): Promise<Step> {
  const { table, shape, column: name, row } = column;
  const keys = key ?? [];
  const limit = STEP_ROWS[shape.type];
  const value = shape.type === 'bytea' ? `encode(t.${name}, 'base64')` : `t.${name}`;
  const isOutdated = shape.isOutdated(`t.${name}`, '$1::text');
  const rows = await db.query<Row>(
    `with page as materialized (
       select t.*, t.xmin::text as version, ${isOutdated} as outdated from ${table} t
        ${after.length === 0 ? '' : `where (${keys.join()}) > (${keys.map((_, i) => `$${i + 2}`).join()})`}
        order by ${keys.join()} limit ${limit})
     select ${[...new Set([...keys, ...row])].join()}, version, coalesce(outdated, false) as outdated,
            case when outdated then ${value} end as ${name}
       from page t order by ${keys.join()}`,
    [cipher.ids[0], ...after],
  );
  const outdated = rows.filter((each) => each.outdated);
  let changed = 0;
  for (const each of outdated) {
    try {
      changed += await encryptOne(db, { key, ...column }, each);
    } catch (error) {
      if (!(error instanceof DamagedValueError || error instanceof UnknownLedgerKeyError)) throw error;
      failed(error);
    }
  }
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    found: outdated.length,
    changed,
    last: last === undefined ? null : keys.map((part) => last[part]),
  };
}

/** @returns 0 when the row has changed meanwhile: the next pass finds it */
async function encryptOne(db: Queryable, column: EncryptedColumn, found: Row): Promise<number> {
  const { table, shape, column: name, row, key } = column;
  const isBytes = shape.type === 'bytea';
  const stored = isBytes ? Buffer.from(found[name] as string, 'base64') : found[name];
  const { [name]: value } = decryptRow(db, column, { ...found, [name]: stored });
  const place = row.map((part) => found[part] as string | number | null);
  const encrypted = encryptValue(db, column, place, value);
  const keys = key ?? [];
  const text = isBytes ? Buffer.from(encrypted as Uint8Array).toString('base64') : toJson(encrypted);
  // Does not wait for the disk: what a crash loses is found again.
  const rows = await db.query(
    `with soon as materialized (select set_config('synchronous_commit', 'off', true))
     update ${table} t set ${name} = ${isBytes ? "decode($1, 'base64')" : '$1::jsonb'} from soon
      where t.xmin::text = $2 and ${keys.map((part, i) => `t.${part} = $${i + 3}`).join(' and ')} returning 1`,
    [text, found.version, ...keys.map((part) => found[part])],
  );
  return rows.length;
}

/** Values of an older key in rows of a run that is being planned. They go with the run. */
async function hasTransient(db: Queryable, cipher: LedgerCipher): Promise<boolean> {
  for (const { table, column, shape, key } of ENCRYPTED_COLUMNS) {
    if (key !== null) continue;
    const size = shape.type === 'bytea' ? `length(t.${column}) > 0 and ` : '';
    const rows = await db.query(
      `select 1 from ${table} t where ${size}${shape.isOutdated(`t.${column}`, '$1::text')} limit 1`,
      [cipher.ids[0]],
    );
    if (rows.length > 0) return true;
  }
  return false;
}
