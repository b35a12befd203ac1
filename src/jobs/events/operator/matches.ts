// Whether filters choose a dead letter.
import type { DeadLetterChoice, DeadLetterSummary } from '../contract/refusals.ts';

type Filter = Pick<DeadLetterChoice, 'route' | 'codes' | 'since'>;

export function matches(
  deadLetter: Pick<DeadLetterSummary, 'route' | 'code' | 'failedAt'>,
  { route, codes, since }: Filter,
): boolean {
  if (route !== undefined && deadLetter.route !== route) return false;
  if (codes !== undefined && !codes.includes(deadLetter.code)) return false;
  return since === undefined || Date.parse(deadLetter.failedAt) >= Date.parse(since);
}
