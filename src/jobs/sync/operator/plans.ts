// Dry runs as operators start and read them.

import { shortHash } from '../../../core/sql/short-hash.ts';
import { phoneCase } from '../../../mapping/phone/cases.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, KeptDryRun, OperatorDeps } from '../../../operator/service/deps.ts';
import { readTokens } from '../../../operator/store/overview/tokens.ts';
import type { Lines } from '../contract/lines.ts';
import type { PlanReport } from '../contract/plan.ts';
import type { PLANS } from '../contract/plans.ts';
import type { RunSpec } from '../contract/run.ts';
import { conflictCase, reasonWithLines, rowsInReason } from './conflict-lines.ts';
import { maskPlan, maskProblem } from './mask-plan.ts';
import { createRowLines, sheetLines } from './row-lines.ts';

export function planHandlers(deps: OperatorDeps): Handlers<keyof typeof PLANS> {
  const { dryRuns, corrections } = deps.tools;
  const findLines = createRowLines(corrections);

  function find(plan: string): KeptDryRun {
    const found = dryRuns.get(plan);
    if (found !== null) return found;
    throw new OperatorError(
      'notFound',
      `there is no dry run ${plan}: only the last ones are kept, and none over a restart; start it again`,
      { code: 'NO_PLAN' },
    );
  }

  return {
    'POST /syncs/{sync}/plans': async ({ sync, samples, problems }) => {
      const config = deps.config();
      const spec = config.spec(sync);
      const callsPerMinute = await paceOf(deps, spec);
      return {
        plan: dryRuns.start({ spec, baseDir: config.dir, samples, callsPerMinute, listed: problems }),
      };
    },
    'GET /plans/{plan}': async ({ plan, waitMs, unmask }, { identity }) => {
      const kept = find(plan);
      if (waitMs > 0) await kept.endWithin(waitMs);
      const now = kept.read();
      if (now.report === null) return now;
      const rows = rowsOfReport(now.report);
      const lines = sheetLines(await findLines(kept.file, rows, identity), rows);
      const report = reportWithLines(now.report, lines);
      return { ...now, lines, report: unmask ? report : maskPlan(report) };
    },
    'GET /plans/{plan}/problems': async ({ plan, limit, after, unmask }, { identity }) => {
      const first = after === undefined ? 0 : Number(after);
      if (!Number.isSafeInteger(first) || first < 0)
        throw new OperatorError('invalid', 'after: it is not a cursor of this list; begin again without it', {
          code: 'CURSOR',
        });
      const kept = find(plan);
      const problems = await kept.problems(first, limit);
      const next = problems.length < limit ? null : String(first + limit);
      const rows = problems.flatMap((problem) => [problem.row, ...rowsInReason(problem)]);
      const lines = sheetLines(await findLines(kept.file, rows, identity), rows);
      const shown = problems.map((problem) => {
        const lined = reasonWithLines(unmask ? problem : maskProblem(problem), lines);
        return { ...lined, params: conflictCase(lined) ?? phoneCase(lined.reason) };
      });
      return { problems: shown, lines, next };
    },
    'POST /plans/{plan}/cancel': async ({ plan }) => {
      await find(plan).cancel();
      return { plan };
    },
  };
}

function rowsOfReport({ samples, tags, warnings, totals, problems }: PlanReport): number[] {
  return [
    ...samples.map(({ row }) => row),
    ...(tags.missing?.list ?? []).flatMap(({ rows }) => rows),
    ...totals.map(({ first }) => first),
    ...problems.map(({ row }) => row),
    ...[...warnings, ...totals, ...problems].flatMap(rowsInReason),
  ];
}

function reportWithLines(report: PlanReport, lines: Lines): PlanReport {
  const lined = <T extends { code: string; reason: string }>(all: readonly T[]) =>
    all.map((each) => reasonWithLines(each, lines));
  const { warnings, totals, problems } = report;
  return { ...report, warnings: lined(warnings), totals: lined(totals), problems: lined(problems) };
}

/**
 * Calls per minute that all tokens of the account allow together: of each the limit that the service has sent, as the
 * overview shows it. Until then, and for a token that this process cannot read, it is the configured one.
 */
export async function paceOf(
  { config, db, log }: Pick<OperatorDeps, 'config' | 'db' | 'log'>,
  { account }: Pick<RunSpec, 'account'>,
): Promise<number> {
  const loaded = config();
  const found = loaded.config.accounts[account];
  if (found === undefined) return 0;
  const tokens = await Promise.all(
    [...new Set(found.tokens)].map(async (ref) => {
      try {
        return shortHash((await loaded.secret(ref)).value);
      } catch (error) {
        log.warn({ account, err: error }, 'the pace of a dry run is that of the configuration');
        return null;
      }
    }),
  );
  const readable = tokens.filter((token) => token !== null);
  const known = new Map((await readTokens(db, readable)).map(({ token, limit }) => [token, limit]));
  return tokens.reduce((sum, token) => sum + (known.get(token ?? '') ?? found.callsPerMinute), 0);
}
