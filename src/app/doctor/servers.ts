// Checks the Temporal server and the ledger's database. It starts nothing, and writes only the search attributes that a
// worker would register at its start.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { LoadedConfig } from '../../config/load.ts';
import { keysOfServer } from '../../config/schema/temporal.ts';
import { tlsFiles } from '../../config/tls-files.ts';
import { SecretError } from '../../core/config/errors.ts';
import type { LedgerCipher } from '../../core/encryption/cipher.ts';
import { openToOthers } from '../../core/files/open-to-others.ts';
import { type LockInfo, readFolderLock } from '../../core/lock/folder-lock.ts';
import { DatabaseUrlError, LedgerError, openPostgres } from '../../core/sql/database.ts';
import { checkPostgresVersion, PostgresTooOldError } from '../../core/sql/server-version.ts';
import { cacheDirOf, spareDirOf } from '../../temporal/cache-dir.ts';
import { childEnv } from '../../temporal/child-env.ts';
import { configuredTarget } from '../../temporal/configured-target.ts';
import { describeRefusal, SEARCH_ATTRIBUTES } from '../../temporal/search-attributes.ts';
import { InsecureTemporalError, TemporalSettingsError } from '../../temporal/temporal-address.ts';
import { BinaryNotFoundError, locateTemporalCli } from '../../temporal/temporal-binary.ts';
import {
  checkTemporal,
  ensureSearchAttributes,
  readRetention,
  readTemporalVersion,
  TemporalUnavailableError,
} from '../../temporal/temporal-health.ts';
import type { TemporalTarget } from '../../temporal/temporal-target.ts';
import { Findings, type Group } from './findings.ts';
import { checkLedgerKeys, checkPayloadKeys, readLedgerKeys } from './keys.ts';
import { quote, say } from './say.ts';

export interface ServersOptions {
  readonly config: Pick<LoadedConfig, 'config' | 'secret'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** State folder of the embedded server and ledger. */
  readonly state: string;
  /** Milliseconds for one connection. */
  readonly deadlineMs: number;
}

/** Older servers let a throttled key stall other ready keys (temporalio/temporal#10820). */
const WANTED = [1, 32] as const;

export async function checkServers(options: ServersOptions): Promise<Group> {
  const findings = new Findings();
  const holder = await readFolderLock(resolve(options.state));
  await checkServer(options, holder, findings);
  await checkPayloadKeys(options.config, findings);
  await checkLedger(options, holder, findings);
  await checkKeyFiles(options, findings);
  return { of: 'servers', account: null, findings: findings.list };
}

async function checkServer(
  options: ServersOptions,
  holder: LockInfo | null,
  findings: Findings,
): Promise<void> {
  const { config, env, deadlineMs } = options;
  let target: TemporalTarget | null;
  try {
    const configured = await configuredTarget(env, config);
    if (configured === null) reportUnused(config, findings);
    target = configured ?? embeddedOf(holder, env);
  } catch (error) {
    const isWrong = [InsecureTemporalError, TemporalSettingsError, SecretError].some(
      (kind) => error instanceof kind,
    );
    if (!isWrong) throw error;
    findings.problem('temporal', quote('CHECK_TEMPORAL_SETTINGS', (error as Error).message), {
      cause: 'unreachable',
    });
    return;
  }
  if (target === null) return await checkBinary(options, findings);
  const { address, access, namespace } = target;
  const where = `${target.origin} ${address}`;
  try {
    const version = await readTemporalVersion(address, { timeoutMs: deadlineMs, access });
    judgeVersion(where, version, findings);
  } catch (error) {
    if (!(error instanceof TemporalUnavailableError)) throw error;
    findings.problem('temporal', quote('CHECK_TEMPORAL_AWAY', error.message), { cause: 'unreachable' });
    return;
  }
  const check = { timeoutMs: deadlineMs, access };
  try {
    await checkTemporal(address, namespace, check);
    const days = await readRetention(address, namespace, check);
    findings.ok('temporal', say('CHECK_NAMESPACE', { namespace, days: Number(days.toFixed(1)) }));
  } catch (error) {
    if (!(error instanceof TemporalUnavailableError)) throw error;
    findings.problem('temporal', quote('CHECK_NAMESPACE_AWAY', error.message));
    return;
  }
  try {
    const added = await ensureSearchAttributes(address, namespace, SEARCH_ATTRIBUTES, check);
    findings.ok(
      'temporal',
      added.length === 0
        ? say('CHECK_ATTRIBUTES')
        : say('CHECK_ATTRIBUTES_ADDED', { names: added.join(', ') }),
    );
  } catch (error) {
    const text = describeRefusal(error as Error, SEARCH_ATTRIBUTES);
    // Temporal Cloud, for example, does not let clients read them.
    if (error instanceof TemporalUnavailableError)
      findings.unchecked('temporal', quote('CHECK_ATTRIBUTES_REFUSED', text));
    else findings.problem('temporal', quote('CHECK_ATTRIBUTES_REFUSED', text));
  }
}

/** Without an address, the server is the embedded one, which has neither TLS nor API keys. */
function reportUnused({ config: { temporal } }: ServersOptions['config'], findings: Findings): void {
  for (const key of keysOfServer(temporal))
    findings.warning('temporal', say('CHECK_TEMPORAL_UNUSED', { key }));
}

/** A file that is missing is reported by its connection. */
async function checkKeyFiles({ config, env }: ServersOptions, findings: Findings): Promise<void> {
  for (const { connection, part, path, names } of tlsFiles(config.config, env)) {
    const info = part === 'key' ? await stat(path).catch(() => null) : null;
    const warnings = info === null ? [] : openToOthers(`the private key ${path} of ${names}`, info);
    for (const warning of warnings) findings.warning(connection, quote('CHECK_SECRET_OPEN', warning));
  }
}

/** The server of a Sluice that runs on the state folder. */
function embeddedOf(holder: LockInfo | null, env: ServersOptions['env']): TemporalTarget | null {
  const address = holder?.temporal;
  if (typeof address !== 'string' || address === '') return null;
  return {
    address,
    namespace: env.TEMPORAL_NAMESPACE || 'default',
    access: {},
    origin: 'the embedded server at',
  };
}

function judgeVersion(where: string, version: string, findings: Findings): void {
  const state = isNew(version);
  if (state === true) findings.ok('temporal', say('CHECK_TEMPORAL', { where, version }));
  else if (state === null) findings.unchecked('temporal', say('CHECK_TEMPORAL_UNNAMED', { where }));
  else findings.warning('temporal', say('CHECK_TEMPORAL_OLD', { where, version, wanted: WANTED.join('.') }));
}

/** null: the version is unreadable. */
export function isNew(version: string): boolean | null {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined) return null;
  return Number(major) > WANTED[0] || (Number(major) === WANTED[0] && Number(minor) >= WANTED[1]);
}

async function checkBinary({ env, state }: ServersOptions, findings: Findings): Promise<void> {
  try {
    const found = await locateTemporalCli({
      env,
      cacheDir: cacheDirOf(env),
      spareDir: spareDirOf(resolve(state)),
      say: (line) => findings.unchecked('temporal', quote('CHECK_TEMPORAL_CLI', line)),
    });
    if (found === null) {
      findings.warning('temporal', say('CHECK_TEMPORAL_CLI_NONE'));
      return;
    }
    const { stdout } = await promisify(execFile)(found.path, ['--version'], {
      timeout: 10_000,
      env: childEnv(env),
    });
    const version = /Server (\d+\.\d+\.\d+)/i.exec(stdout)?.[1] ?? '';
    judgeVersion(`the CLI for the embedded server (${found.origin})`, version, findings);
  } catch (error) {
    if (error instanceof BinaryNotFoundError)
      findings.problem('temporal', quote('CHECK_TEMPORAL_BINARY', error.message));
    else if (error instanceof Error && 'code' in error)
      findings.problem('temporal', say('CHECK_TEMPORAL_CLI_FAILS', { error: String(error.code) }));
    else throw error;
  }
}

async function checkLedger(
  { config, env, state }: ServersOptions,
  holder: LockInfo | null,
  findings: Findings,
): Promise<void> {
  const cipher = await readLedgerKeys(config, findings);
  const url = env.DATABASE_URL;
  if (url === undefined || url === '') {
    if (holder === null) findings.ok('ledger', say('CHECK_LEDGER_FREE', { folder: state }));
    else {
      const { pid, command, since } = holder;
      const user = { folder: state, pid: String(pid), command, since };
      findings.ok('ledger', say('CHECK_LEDGER_USED', user));
    }
    // Opening the embedded ledger writes.
    if (cipher != null) findings.unchecked('ledger', say('CHECK_LEDGER_KEYS_UNREAD'));
    return;
  }
  try {
    await checkPostgres(url, cipher, findings);
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    findings.problem('ledger', quote('CHECK_DATABASE_URL', error.message));
  }
}

async function checkPostgres(
  url: string,
  cipher: LedgerCipher | null | undefined,
  findings: Findings,
): Promise<void> {
  const db = await openPostgres(url, () => undefined);
  try {
    const [row] = await db.query<{ version: string; tables: string | null }>(
      `select current_setting('server_version') as version, to_regclass('sluice_migrations')::text as tables`,
    );
    checkPostgresVersion(row?.version ?? '');
    const [made] =
      row?.tables == null
        ? []
        : await db.query<{ version: number | null }>('select max(version) as version from sluice_migrations');
    const version = row?.version ?? '';
    const said =
      made?.version == null
        ? say('CHECK_POSTGRES_NEW', { version })
        : say('CHECK_POSTGRES', { version, ledger: made.version });
    findings.ok('ledger', said);
    if (cipher !== undefined) await checkLedgerKeys(db, cipher, findings);
  } catch (error) {
    if (error instanceof PostgresTooOldError) {
      findings.problem('ledger', quote('CHECK_DATABASE_OLD', error.message), { cause: 'usage' });
      return;
    }
    if (!(error instanceof LedgerError)) throw error;
    // SQLSTATE 28: the server answers and refuses the login.
    const refused = error.code?.startsWith('28') === true;
    findings.problem('ledger', quote('CHECK_DATABASE', error.message), {
      hint: say(refused ? 'FIX_LOGIN' : 'FIX_DATABASE'),
      cause: refused ? 'auth' : 'unreachable',
    });
  } finally {
    await db.close();
  }
}
