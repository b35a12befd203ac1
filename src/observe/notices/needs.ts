// The overview's list of needs, as notices see it: one entry for each thing that a person would name.
import { pathOfNeed } from '../../operator/contract/need-screens.ts';
import type { Need } from '../../operator/contract/overview.ts';
import { isSevereEnough, type NeedFacts } from './rules.ts';

/**
 * Runs of one sync that fail one after the other are one need. Plans are not: each wants a decision of its own.
 * @param channel is not notified of its own failures
 */
export function factsFor(channel: string, needs: readonly Need[], least: Need['severity']): NeedFacts[] {
  const facts = new Map<string, NeedFacts>();
  for (const need of needs) {
    const { kind, severity, account, name, run, code, count, blocks } = need;
    if (!isSevereEnough(need, least) || (kind === 'failing-notices' && name === channel)) continue;
    const key = JSON.stringify([kind, account, name, kind === 'approval' ? run : null]);
    const same = facts.get(key);
    if (same === undefined)
      facts.set(key, {
        key,
        kind,
        severity,
        account,
        name,
        run,
        code,
        count,
        blocks,
        path: pathOfNeed(need),
      });
    else facts.set(key, { ...same, count: same.count + count });
  }
  return [...facts.values()];
}
