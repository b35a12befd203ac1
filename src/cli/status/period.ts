// Options of commands that show a period.
import { WHEN } from '../lib/when.ts';

export const PERIOD = {
  account: ['--account <name>', 'only this account'],
  since: ['--since <when>', `begin: ${WHEN} (default: 24h)`],
  until: ['--until <when>', `end: ${WHEN} (default: now)`],
} as const;

export const limitOf = (usual: number) =>
  ['--limit <count>', 'maximum number of entries, at most 1000', usual] as const;
