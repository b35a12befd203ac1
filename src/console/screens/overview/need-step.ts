// The step that ends a need, where it is taken on another screen: a button that leads there, and a sentence where the cause
// is outside Sluice.
import { needsToken } from '../../../core/refused-access.ts';
import { screenOf, searchOf } from '../../../operator/contract/need-screens.ts';
import type { Need } from '../../../operator/contract/overview.ts';

const WORDS = {
  'unknown-members': 'review',
  'unread-conversations': 'review',
  'refused-token': 'token',
  'refused-events': 'correct',
  'rejected-rows': 'fix',
  // Nobody approves a plan without its content, so the button leads to it.
  approval: 'plan',
} as const satisfies Partial<Record<Need['kind'], string>>;

/** Null: its command, if it has one, is the step. */
export function stepOf(need: Need) {
  const { kind, account, name, run } = need;
  if (!(kind in WORDS) || isForOthers(need)) return null;
  const word = WORDS[kind as keyof typeof WORDS];
  const search = word === 'fix' ? { account, name, run: run ?? '', view: 'fix' } : searchOf(need);
  // Of a single request its panel opens, where it is corrected.
  return { word, to: screenOf(need), search: word === 'correct' ? { ...search, view: 'correct' } : search };
}

/** Of a plan: somebody else approves it. */
const isForOthers = ({ kind, approval }: Need) => kind === 'approval' && approval?.refusal !== null;

const APPROVE = 'POST /campaigns/{campaign}/approve';

/** The commands that are given on the overview itself. */
export const commandsOf = ({ commands }: Need) => commands.filter(({ route }) => route !== APPROVE);

/** What has to be done outside of Sluice, or on another screen, before the button helps. */
export function adviceOf({ kind, code, reason }: Need): 'token' | 'scope' | 'unknown' | 'sink' | null {
  if (kind === 'unknown-members') return 'unknown';
  if (kind === 'waiting-sink') return 'sink';
  if (kind === 'refused-token') return reason?.startsWith('the token lacks the scope ') ? 'scope' : 'token';
  if (needsToken(code, reason)) return code === 'ERR_SCOPE_MISSING' ? 'scope' : 'token';
  // The service refuses a call of the token, with whatever code.
  return / answered 403 /.test(reason ?? '') ? 'scope' : null;
}
