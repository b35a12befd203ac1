// The step that ends a need, where it is taken on another screen: a button that leads there, and a sentence where the cause
// is outside Sluice.
import { needsToken } from '../../../core/refused-access.ts';
import { screenOf, searchOf } from '../../../operator/contract/need-screens.ts';
import type { Need } from '../../../operator/contract/overview.ts';

export interface NeedStep {
  readonly word: 'review' | 'token' | 'fix' | 'correct';
  readonly to: string;
  readonly search: Readonly<Record<string, unknown>>;
}

/** Null: its command, if it has one, is the step. */
export function stepOf(need: Need): NeedStep | null {
  const { kind, account, name, run } = need;
  const here = { to: screenOf(need), search: searchOf(need) };
  if (kind === 'unknown-members') return { word: 'review', ...here };
  if (kind === 'refused-token') return { word: 'token', ...here };
  if (kind === 'refused-events') return { word: 'correct', ...here };
  if (kind === 'rejected-rows')
    return { word: 'fix', to: here.to, search: { account, name, run: run ?? '', view: 'fix' } };
  return null;
}

/** What has to be done outside of Sluice, or on another screen, before the button helps. */
export function adviceOf({ kind, code, reason }: Need): 'token' | 'scope' | 'permission' | null {
  if (kind === 'refused-token') return reason?.startsWith('the token lacks the scope ') ? 'scope' : 'token';
  if (needsToken(code, reason)) return code === 'ERR_SCOPE_MISSING' ? 'scope' : 'token';
  // The service refuses a call of the token, with whatever code.
  return / answered 403 /.test(reason ?? '') ? 'permission' : null;
}
