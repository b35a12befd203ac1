// What a command printed and how it ended in each situation, and whether that is the same.
import { documentsIn, type Outcome } from './lane.ts';
import type { Case, Situation } from './table.ts';

const SITUATIONS: readonly Situation[] = ['up', 'down', 'remote'];

/** Null: it was not run there. */
export type Outcomes = Partial<Record<Situation, Outcome | null>>;

/** Where a situation ended otherwise than expected; empty when all is well. */
export function wrongExits(each: Case, outcomes: Outcomes): string[] {
  return SITUATIONS.flatMap((where) => {
    const outcome = outcomes[where];
    const expected = expectedExit(each, where);
    if (outcome === undefined) return [`${where}: did not run`];
    if (outcome === null || outcome.exit === expected) return [];
    return [
      `${where}: exit ${outcome.exit}, not ${expected}: ${(outcome.stderr || outcome.stdout).slice(-500)}`,
    ];
  });
}

export function expectedExit({ exit = 0, but }: Case, where: Situation): number | null {
  const other = but?.[where];
  return other === undefined ? exit : other;
}

/** What a read printed, without these keys. */
export function readOf({ stdout }: Outcome, left: object): unknown {
  return textOrJson(stdout).map((document) => without(document, new Set(Object.keys(left))));
}

/** `campaign export` prints CSV. */
function textOrJson(stdout: string): unknown[] {
  return /^[{[]/.test(stdout) ? documentsIn(stdout) : [stdout];
}

function without(value: unknown, left: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, left));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !left.has(key))
      .map(([key, each]) => [key, without(each, left)]),
  );
}

/** `sluice status  up 0  down 0  remote 0`. */
export function lineOf({ command, but }: Case, outcomes: Outcomes): string {
  const ends = SITUATIONS.map((where) => {
    const outcome = outcomes[where];
    return `${where} ${outcome == null ? '–' : `${outcome.exit} (${outcome.seconds.toFixed(1)} s)`}`;
  });
  return `sluice ${command}  ${ends.join('  ')}${but === undefined ? '' : `  [${but.because}]`}`;
}
