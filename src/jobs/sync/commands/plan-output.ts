// Writes every problem of a row for `sluice sync plan`: into the plan's JSON, and as CSV. It streams the rows.

import { type Output, openOutput } from '../../../cli/lib/terminal/output.ts';
import { csvLine } from '../../../core/csv.ts';
import type { PlanProblem, PlanReport } from '../contract/plan.ts';

export interface PlanOutputOptions {
  /** The plan is one line of JSON on stdout, with its problems. */
  readonly json: boolean;
  /** Path of a file, or `-` for stdout. */
  readonly csv?: string;
  /** Ends the wait for a reader that reads no more. */
  readonly signal: AbortSignal;
}

/** Receives the plan first, then the problems of its rows in source order. */
export interface PlanOutput {
  plan(plan: PlanReport): Promise<void>;
  /** @returns whether it wants more */
  problems(batch: readonly PlanProblem[]): Promise<boolean>;
  /** Resolves when everything is written. */
  end(): Promise<void>;
}

const COLUMNS = ['row', 'status', 'step', 'code', 'reason', 'column', 'value', 'otherRow', 'otherValue'];

export function openPlanOutput({ json, csv, signal }: PlanOutputOptions): PlanOutput {
  const writers: Writer[] = [];
  return {
    async plan(plan) {
      const { problems: _few, ...head } = plan;
      if (json) writers.push(jsonWriter(openOutput(null, 'text', signal), head));
      if (csv !== undefined) writers.push(csvWriter(openOutput(csv === '-' ? null : csv, 'csv', signal)));
      for (const { output, head: first } of writers) await output.write(first);
    },
    async problems(batch) {
      let wanted = false;
      for (const { output, rows } of writers) if (await output.write(rows(batch))) wanted = true;
      return wanted;
    },
    async end() {
      for (const { output, tail } of writers) {
        if (tail !== '') await output.write(tail);
        await output.close();
      }
    },
  };
}

interface Writer {
  readonly output: Output;
  readonly head: string;
  rows(problems: readonly PlanProblem[]): string;
  readonly tail: string;
}

function jsonWriter(output: Output, plan: Omit<PlanReport, 'problems'>): Writer {
  let any = false;
  return {
    output,
    head: `${JSON.stringify(plan).slice(0, -1)},"problems":[`,
    rows(problems) {
      const text = problems.map((problem) => JSON.stringify(problem)).join(',');
      const separator = any ? ',' : '';
      any = true;
      return separator + text;
    },
    tail: ']}\n',
  };
}

function csvWriter(output: Output): Writer {
  return { output, head: csvLine(COLUMNS), rows: (problems) => problems.map(lineOf).join(''), tail: '' };
}

function lineOf({ row, outcome, where, code, reason, ...more }: PlanProblem): string {
  const { column = null, value = null, otherRow = null, otherValue = null } = more;
  return csvLine([row, outcome, where, code, reason, column, value, otherRow, otherValue]);
}
