// The options of the connection to Temporal as their files are now: certificates and keys are renewed while a process
// runs.
import { createHash } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { followContents } from '../core/files/follow-contents.ts';
import { pemOf, type TemporalAccess } from './temporal-access.ts';
import { TemporalSettingsError } from './temporal-address.ts';
import type { TemporalTarget } from './temporal-target.ts';
import { TLS_HELP } from './tls-reason.ts';

type Use = (access: TemporalAccess) => Promise<void> | void;

export interface FollowedAccess {
  /** What a connection that opens now uses. */
  readonly current: TemporalAccess;
  /** Runs with each change, in the order added. Where one fails, the options before stay, and all run again. */
  onChange(use: Use): void;
}

export interface FollowOptions {
  /** Reads settings and files as a process that starts now would. @throws as `temporalTargetOf` */
  read(): Promise<TemporalTarget | null> | TemporalTarget | null;
  readonly signal: AbortSignal;
  readonly log: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** Milliseconds between two looks at the files. @default 10 s */
  readonly everyMs?: number | undefined;
}

/** Reads the files again until `signal` aborts. Unusable ones are logged, and those before them stay in use. */
export function followAccess(
  first: TemporalAccess,
  { log, read, ...options }: FollowOptions,
): FollowedAccess {
  const uses: Use[] = [];
  const followed = { current: first, onChange: (use: Use) => void uses.push(use) };
  // Nothing to renew.
  if (!first.tls && first.apiKey === undefined) return followed;
  void followContents({
    ...options,
    first,
    read: async () => (await read())?.access ?? first,
    printOf,
    async use(access) {
      checkPair(access);
      for (const use of uses) await use(access);
      followed.current = access;
      log.info({}, 'the connection to Temporal uses the renewed certificate or key');
    },
    failed: (error) =>
      log.error(
        { err: error },
        'the renewed certificate or key of Temporal cannot be used; the one before stays in use',
      ),
  });
  return followed;
}

/** @throws TemporalSettingsError */
function checkPair(access: TemporalAccess): void {
  try {
    createSecureContext(pemOf(access));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new TemporalSettingsError(TLS_HELP[code ?? ''] ?? `the certificate cannot be used: ${message}`);
  }
}

function printOf(access: TemporalAccess): string {
  return createHash('sha256')
    .update(JSON.stringify([access.apiKey, access.metadata, access.tls, pemOf(access)]))
    .digest('hex');
}
