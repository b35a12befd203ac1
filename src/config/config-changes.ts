// What differs between two configurations, and what of it needs a restart.
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../core/config/raw.ts';
import type { ResolvedConfig } from './resolved-config.ts';

/** Keys that a process reads once: addresses that it listens on, and what Temporal's clients were opened with. */
const NEED_RESTART = [
  ['admin'],
  ['temporal'],
  ['ledger'],
  ['ingress', 'http'],
  ['ingress', 'maxOpen'],
  ['ingress', 'maxDelay'],
  ['operator', 'http'],
] as const;

/** Returns `next` with the running values of what needs a restart, and the names of what changed there. */
export function keepWhatNeedsRestart(
  running: ResolvedConfig,
  next: ResolvedConfig,
): { readonly config: ResolvedConfig; readonly needsRestart: readonly string[] } {
  const config = structuredClone(next) as unknown as Record<string, unknown>;
  const needsRestart: string[] = [];
  for (const path of NEED_RESTART) {
    const before = valueAt(running, path);
    needsRestart.push(...differences(before, valueAt(next, path), path.join('.')));
    const parent = path.length === 1 ? config : (config[path[0]] as Record<string, unknown>);
    parent[path.at(-1) as string] = before;
  }
  return { config: config as unknown as ResolvedConfig, needsRestart };
}

/** Names of what is new, changed or gone: entries of sections as `accounts.acme`, other keys as `reload.watch`. */
export function changesOf(before: ResolvedConfig, after: ResolvedConfig): string[] {
  const sections = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...sections].flatMap((section) => {
    const [old, fresh] = [before, after].map((config) => (config as Record<string, unknown>)[section]);
    if (isDeepStrictEqual(old, fresh)) return [];
    if (!isRecord(old) || !isRecord(fresh)) return [section];
    const names = new Set([...Object.keys(old), ...Object.keys(fresh)]);
    return [...names]
      .filter((name) => !isDeepStrictEqual(old[name], fresh[name]))
      .map((name) => `${section}.${name}`);
  });
}

function differences(before: unknown, after: unknown, at: string): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [at];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => differences(before[key], after[key], `${at}.${key}`));
}

function valueAt(config: ResolvedConfig, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], config);
}
