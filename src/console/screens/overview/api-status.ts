// Whether the service answers an account, by its newest calls: what failed before the last success is over.
import type { Health } from '../../../operator/contract/health.ts';

type Api = Health['api'][number];

/** Fewer failures in a row than this are a hiccup. */
const MIN_FAILURES = 3;

export function apiStatus({
  calls,
  failed,
  unanswered,
  lastSuccessAt,
}: Pick<Api, 'calls' | 'failed' | 'unanswered' | 'lastSuccessAt'>): 'ok' | 'degraded' | 'failed' {
  const inRow = calls > 0 && lastSuccessAt === null ? Math.max(failed, unanswered) : unanswered;
  if (inRow === 0) return 'ok';
  return inRow < MIN_FAILURES ? 'degraded' : 'failed';
}
