// The alert rules with shorter times and smaller counts: nobody waits 15 minutes for a test.
import { readFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';

/** Durations are divided by it. */
const FACTOR = 60;
/** A window needs at least four scrapes: `rate` of two samples is nothing as soon as one scrape is late. */
export const SCRAPE_SECONDS = 2;
const SHORTEST_WINDOW = 4 * SCRAPE_SECONDS;

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Thresholds that the factor does not make reachable in a test, by alert: [in the file, in the test]. */
const THRESHOLDS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  // Bytes. The ledger of the test has about 15 MB.
  SluiceLedgerNearLimit: [['50e9', '60e6']],
  // The service counts calls by the minute. So a token gets 429, and calls their slots, about once a minute here, too.
  SluiceRateLimited: [['[5m]', '[70m]']],
  SluiceLeadsWaitForSlots: [
    ['[10m]', '[70m]'],
    ['> 30', '> 1'],
  ],
  // A poller that fails waits longer and longer, and these waits are not scaled.
  SluiceTemporalRequestsFail: [['[5m]', '[20m]']],
  // Seconds.
  SluiceEventsWait: [['> 900', '> 15']],
  SluiceRecordsWait: [['> 43200', '> 15']],
  SluiceMembersWait: [['> 604800', '> 15']],
  SluiceConversationsWait: [['> 3600', '> 15']],
  SluiceRunOverdue: [['> 86400', '> 20']],
  SluicePollLag: [['> 900', '> 15']],
  SluiceOutboxDelayed: [['> 900', '> 15']],
  // Records.
  SluiceKafkaLag: [['> 10000', '> 100']],
};

interface Rule {
  readonly alert: string;
  expr: string;
  for?: string;
}
interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

export async function readRules(file: string): Promise<Rules> {
  return parse(await readFile(file, 'utf8')) as Rules;
}

export const alertsOf = ({ groups }: Rules): string[] =>
  groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

/** The text of a file of rules with the same alerts. @throws Error for a threshold that its rule does not have */
export function scaled(rules: Rules): string {
  const copy = structuredClone(rules);
  for (const rule of copy.groups.flatMap((group) => group.rules)) {
    for (const [before, after] of THRESHOLDS[rule.alert] ?? []) {
      if (!rule.expr.includes(before)) throw new Error(`${rule.alert} has no "${before}": ${rule.expr}`);
      rule.expr = rule.expr.replaceAll(before, after);
    }
    rule.expr = rule.expr.replace(
      /(\[|offset )(\d+)([smhd])/g,
      (_, start: string, count: string, unit: string) => `${start}${shorter(count, unit, SHORTEST_WINDOW)}`,
    );
    const [, count, unit] = /^(\d+)([smhd])$/.exec(rule.for ?? '') ?? [];
    if (count !== undefined && unit !== undefined) rule.for = shorter(count, unit, 1);
  }
  return stringify(copy);
}

function shorter(count: string, unit: string, least: number): string {
  const seconds = (Number(count) * SECONDS[unit as keyof typeof SECONDS]) / FACTOR;
  return `${Math.max(least, Math.round(seconds))}s`;
}
