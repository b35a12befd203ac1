// Writes every problem of a row for `sluice sync plan`: into the plan's JSON, and as CSV. It streams the rows.
import type { PlanProblem, PlanReport } from '../../contracts/wire/plan.ts';
import { maskValue } from '../../observability/masking.ts';
import { csvLine } from '../lib/csv.ts';
import { type Output, openOutput } from '../lib/output.ts';
import type { PlanReader } from './plan-here.ts';

export interface PlanOutputOptions {
  /** The plan is one line of JSON on stdout, with its problems. */
  readonly json: boolean;
  /** Path of a file, or `-` for stdout. */
  readonly csv?: string;
  readonly unmasked: boolean;
  /** Ends the wait for a reader that reads no more. */
  readonly signal: AbortSignal;
  /** Masks the plan as needed. */
  readonly shown: (plan: PlanReport) => PlanReport;
}

export interface PlanOutput extends PlanReader {
  /** Resolves when everything is written. */
  end(): Promise<void>;
}

const COLUMNS = ['row', 'status', 'step', 'code', 'reason', 'column', 'value', 'otherRow', 'otherValue'];

export function openPlanOutput({ json, csv, unmasked, signal, shown }: PlanOutputOptions): PlanOutput {
  const writers: Writer[] = [];
  return {
    async plan(plan) {
      const { problems: _few, ...head } = shown(plan);
      if (json) writers.push(jsonWriter(openOutput(null, 'text', signal), head));
      if (csv !== undefined) writers.push(csvWriter(openOutput(csv === '-' ? null : csv, 'csv', signal)));
      for (const { output, head: first } of writers) await output.write(first);
    },
    async problems(batch) {
      const listed = unmasked ? batch : batch.map(maskedProblem);
      let wanted = false;
      for (const { output, rows } of writers) if (await output.write(rows(listed))) wanted = true;
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

function maskedProblem(problem: PlanProblem): PlanProblem {
  const { where, value, otherValue } = problem;
  return {
    ...problem,
    ...(value === undefined ? {} : { value: maskValue(where, value) }),
    ...(otherValue === undefined ? {} : { otherValue: maskValue(where, otherValue) }),
  };
}
