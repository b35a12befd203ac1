// Opens the admin listener of a command that stays up.

import { type Admin, type AdminOptions, startAdmin } from '../../../app/admin.ts';
import type { AdminConfig } from '../../../config/schema/admin.ts';
import { CliError, EXIT } from '../exit.ts';
import { say } from './lifetime.ts';

/** One process of several on a machine can take another port for a person at a terminal, but not for Prometheus. */
const TAKES_ANOTHER_PORT = new Set<AdminOptions['process']>(['dev', 'demo', 'console']);

export type OpenAdminOptions = Omit<AdminOptions, 'fallback'> & { readonly env: NodeJS.ProcessEnv };

/** @throws CliError for an invalid SLUICE_ADMIN_PORT, a used port, or an address that this machine does not have */
export async function openAdmin({ env, admin, ...options }: OpenAdminOptions): Promise<Admin> {
  const fallback = TAKES_ANOTHER_PORT.has(options.process);
  const opened = await startAdmin({ ...options, env, admin: withPlace(admin, env), fallback }).catch(
    (error: ListenError) => {
      if (error.syscall !== 'listen') throw error;
      throw new CliError(EXIT.unavailable, cannotListen(error, options.process), { cause: error });
    },
  );
  say(`admin      ${opened.url}  (/metrics /healthz /readyz)`);
  return opened;
}

interface ListenError extends NodeJS.ErrnoException {
  readonly port?: number;
}

/** The usual reason is a second process on the same machine. */
function cannotListen({ code, message, port = 0 }: ListenError, process: AdminOptions['process']): string {
  const what = "metrics and health can't be served";
  if (code !== 'EADDRINUSE')
    return `${what}: ${message}; change admin.host or admin.port, or set SLUICE_ADMIN_HOST`;
  return `${what}: port ${port} is in use, often by another Sluice process of this machine; give each its own port, for example \`SLUICE_ADMIN_PORT=${port === 65_535 ? port - 1 : port + 1} sluice ${process}\`; 0 takes a free one`;
}

/** Who runs the process knows its network: one configuration serves on a machine and in a container. */
function withPlace(admin: AdminConfig, env: NodeJS.ProcessEnv): AdminConfig {
  const host = env.SLUICE_ADMIN_HOST || admin.host;
  const text = env.SLUICE_ADMIN_PORT;
  if (!text) return { ...admin, host };
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw new CliError(EXIT.usage, `SLUICE_ADMIN_PORT: "${text}" is no port; use a number from 0 to 65535`);
  return { ...admin, host, port };
}
