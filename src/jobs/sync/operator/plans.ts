// Dry runs as operators start and read them.

import { shortHash } from '../../../core/sql/short-hash.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, KeptDryRun, OperatorDeps } from '../../../operator/service/deps.ts';
import { readTokens } from '../../../operator/store/overview/tokens.ts';
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
      const callsPerMinute = await paceOf(deps, spec);
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
