// Dry runs as operators start and read them.

import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, KeptDryRun, OperatorDeps } from '../../../operator/service/deps.ts';
import type { PLANS } from '../contract/plans.ts';
import type { RunSpec } from '../contract/run.ts';
import { maskPlan, maskProblem } from './mask-plan.ts';

export function planHandlers(deps: OperatorDeps): Handlers<keyof typeof PLANS> {
  const { dryRuns } = deps.tools;

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
      const callsPerMinute = paceOf(deps, spec);
      return {
        plan: dryRuns.start({ spec, baseDir: config.dir, samples, callsPerMinute, listed: problems }),
      };
    },
    'GET /plans/{plan}': async ({ plan, waitMs, unmask }) => {
      const kept = find(plan);
      if (waitMs > 0) await kept.endWithin(waitMs);
      const now = kept.read();
      return unmask || now.report === null ? now : { ...now, report: maskPlan(now.report) };
    },
    'GET /plans/{plan}/problems': async ({ plan, limit, after, unmask }) => {
      const first = after === undefined ? 0 : Number(after);
      if (!Number.isSafeInteger(first) || first < 0)
        throw new OperatorError('invalid', 'after: it is not a cursor of this list; begin again without it', {
          code: 'CURSOR',
        });
      const problems = await find(plan).problems(first, limit);
      const next = problems.length < limit ? null : String(first + limit);
      return { problems: unmask ? [...problems] : problems.map(maskProblem), next };
    },
    'POST /plans/{plan}/cancel': async ({ plan }) => {
      await find(plan).cancel();
      return { plan };
    },
  };
}

/** Calls per minute that all tokens of the account allow together. */
export function paceOf(
  { config }: Pick<OperatorDeps, 'config'>,
  { account }: Pick<RunSpec, 'account'>,
): number {
  const found = config().config.accounts[account];
  return (found?.callsPerMinute ?? 0) * new Set(found?.tokens).size;
}
