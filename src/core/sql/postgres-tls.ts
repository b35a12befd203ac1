// The certificates and the private key that the address of a PostgreSQL server names. The driver would read them itself,
// and wait for ever at a pipe.
import pg from 'pg';
import { type PemKind, readPemSync } from '../net/pem-file.ts';

const FILES = [
  { name: 'sslrootcert', part: 'ca', kind: 'certificate' },
  { name: 'sslcert', part: 'cert', kind: 'certificate' },
  { name: 'sslkey', part: 'key', kind: 'key' },
] as const;

/** The driver prefers what the address says to options, so the address keeps none of these. */
const TAKEN = new Set([
  'ssl',
  'sslmode',
  'sslnegotiation',
  'uselibpqcompat',
  ...FILES.map(({ name }) => name),
]);

export interface AddressFile {
  /** Parameter of the address. */
  readonly name: (typeof FILES)[number]['name'];
  /** Of the driver's options. */
  readonly part: (typeof FILES)[number]['part'];
  readonly path: string;
  readonly kind: PemKind;
}

/** The files that an address names. */
export function filesOfAddress(url: string): AddressFile[] {
  const params = paramsOf(url);
  return FILES.flatMap(({ name, part, kind }) => {
    const path = lastOf(params, name);
    return path ? [{ name, part, path, kind }] : [];
  });
}

/**
 * A client that reads the files of its address as they are when it connects, so that a renewed certificate needs no
 * restart. Where a file cannot be used, `connect` fails.
 */
export class PostgresClient extends pg.Client {
  readonly #failure: unknown;

  constructor(config: pg.ClientConfig = {}) {
    let options = config;
    let failure: unknown;
    try {
      options = withFiles(config);
    } catch (error) {
      // A pool makes clients where nobody could catch it.
      failure = error;
      options = { ...config, connectionString: restOf(config.connectionString ?? '') };
    }
    super(options);
    this.#failure = failure;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
    if (this.#failure === undefined)
      return callback === undefined ? super.connect() : super.connect(callback);
    if (callback === undefined) return Promise.reject(this.#failure as Error);
    process.nextTick(callback, this.#failure);
  }
}

/**
 * Options with the contents of the files in place of their names.
 * @throws PemFileError
 */
export function withFiles(config: pg.ClientConfig): pg.ClientConfig {
  const url = config.connectionString ?? '';
  const files = filesOfAddress(url);
  if (files.length === 0) return config;
  const params = paramsOf(url);
  const contents: { ca?: Buffer; cert?: Buffer; key?: Buffer } = {};
  for (const { part, name, path, kind } of files)
    contents[part] = readPemSync(path, kind, `\`${name}\` of the address`);
  const negotiation = lastOf(params, 'sslnegotiation');
  return {
    ...config,
    connectionString: restOf(url),
    ssl: sslOf(params, contents),
    ...(negotiation && { sslnegotiation: negotiation }),
  } as pg.ClientConfig;
}

/** What the driver makes of `sslmode`, also with the meanings of libpq. */
function sslOf(params: URLSearchParams, contents: { ca?: Buffer; cert?: Buffer; key?: Buffer }) {
  const mode = lastOf(params, 'sslmode');
  if (mode === 'disable') return false;
  if (lastOf(params, 'uselibpqcompat') !== 'true')
    return { ...contents, ...(mode === 'no-verify' && { rejectUnauthorized: false }) };
  if (mode === 'prefer' || (mode === 'require' && contents.ca === undefined))
    return { ...contents, rejectUnauthorized: false };
  const anyName = mode === 'require' || mode === 'verify-ca';
  return { ...contents, ...(anyName && { checkServerIdentity: () => undefined }) };
}

const QUERY = /\?([^#]*)/;

function paramsOf(url: string): URLSearchParams {
  return new URLSearchParams(QUERY.exec(url)?.[1] ?? '');
}

function lastOf(params: URLSearchParams, name: string): string | undefined {
  return params.getAll(name).at(-1);
}

/** The other parameters stay as they are written. */
function restOf(url: string): string {
  return url.replace(QUERY, (_, query: string) => {
    const kept = query
      .split('&')
      .filter((part) => ![...new URLSearchParams(part).keys()].some((key) => TAKEN.has(key)));
    return `?${kept.join('&')}`;
  });
}
