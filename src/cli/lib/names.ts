// Reads the names in a configuration without the checks of a load: fast enough for completion and for a mistyped name.
import { parse } from 'yaml';
import { UnknownNameError } from '../../core/config/errors.ts';
import { readRegularFileSync } from '../../core/files/regular-file.ts';
import { suggestion } from '../../core/suggest.ts';

export type NameKind = 'account' | 'sync' | 'campaign' | 'poller';

/** Names by kind, and the time zone of each account. */
export interface ConfigNames {
  readonly names: Readonly<Record<NameKind, readonly string[]>>;
  readonly timeZones: ReadonlyMap<string, string>;
}

const SECTIONS: Readonly<Record<NameKind, string>> = {
  account: 'accounts',
  sync: 'syncs',
  campaign: 'campaigns',
  poller: 'pollers',
};
/** What the first argument of a group's commands names. */
const GROUPS: Readonly<Record<string, NameKind>> = {
  account: 'account',
  sync: 'sync',
  poll: 'poller',
  campaign: 'campaign',
};

/**
 * What an argument names; null when it is no name of the configuration.
 * @param group first word of the command
 * @param argument name of the argument, as its help has it
 */
export function kindOfArgument(group: string, argument: string): NameKind | null {
  return argument === 'name' || argument === 'names' ? (GROUPS[group] ?? null) : null;
}

const MAX_BYTES = 1024 * 1024;

/** Null when the file is missing or broken: the load reports that with its place. */
export function readNames(file: string): ConfigNames | null {
  const value = readYaml(file);
  if (!isRecord(value)) return null;
  const section = (kind: NameKind) => {
    const entries = value[SECTIONS[kind]];
    return isRecord(entries) ? Object.keys(entries) : [];
  };
  const accounts = isRecord(value.accounts) ? Object.entries(value.accounts) : [];
  const timeZones = new Map(accounts.map(([name, account]) => [name, zoneIn(account)]));
  return {
    names: {
      account: section('account'),
      sync: section('sync'),
      campaign: section('campaign'),
      poller: section('poller'),
    },
    timeZones,
  };
}

/** A zone that does not exist is reported by the load that follows. */
function zoneIn(account: unknown): string {
  const zone = isRecord(account) ? account.timeZone : undefined;
  return typeof zone === 'string' && isZone(zone) ? zone : 'UTC';
}

function isZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function readYaml(file: string): unknown {
  try {
    const text = readRegularFileSync(file).toString('utf8');
    return text.length > MAX_BYTES ? null : parse(text, { logLevel: 'error', maxAliasCount: 100 });
  } catch (error) {
    // A syntax error or a missing file: the load that follows names it.
    if (error instanceof Error) return null;
    throw error;
  }
}

/** @throws UnknownNameError when the configuration has no such name */
export function checkName(names: ConfigNames, kind: NameKind, wanted: string): void {
  const known = names.names[kind];
  if (known.includes(wanted)) return;
  throw new UnknownNameError(kind, wanted, suggestion(wanted, known, SECTIONS[kind]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
