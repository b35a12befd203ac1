// The time zone of the times that a command shows.
import type { Command } from 'commander';
import { findPlace, type Given } from './connect/place.ts';
import { readNames } from './names.ts';

interface ZoneOptions extends Given {
  readonly utc?: boolean;
  readonly account?: unknown;
  readonly server?: unknown;
}

/** Adds `--utc`, for commands that show times. */
export function withUtc(command: Command): Command {
  return command.option('--utc', 'show times in UTC (default: in the time zone of the account)', false);
}

/**
 * IANA name: that of the account that `--account` names, or that all accounts share; UTC where they differ.
 * Null: the machine's own, where the command shows no times of an account or the configuration is elsewhere.
 */
export function zoneOf(command: Command, env: NodeJS.ProcessEnv): string | null {
  const options = command.opts<ZoneOptions>();
  if (options.utc === undefined) return null;
  if (options.utc) return 'UTC';
  if (options.server !== undefined || env.SLUICE_SERVER) return null;
  const { config } = findPlace(options, env);
  const zones = config === null ? undefined : readNames(config)?.timeZones;
  if (zones === undefined || zones.size === 0) return null;
  const named = typeof options.account === 'string' ? zones.get(options.account) : undefined;
  if (named !== undefined) return named;
  const [zone = 'UTC', ...others] = new Set(zones.values());
  return others.length === 0 ? zone : 'UTC';
}

/** What the operator API answered, with the zone in which its times are shown. */
export function inZone<T extends { readonly timeZone: string }>({ utc }: ZoneOptions, found: T): T {
  return utc === true ? { ...found, timeZone: 'UTC' } : found;
}
