// Since when something needs a person, where nothing that Sluice stores says it: since this process first saw it.
import type { Need } from '../../contract/overview.ts';

type Kept = Pick<Need, 'kind' | 'account' | 'name' | 'run' | 'since'>;

/**
 * Fills times that are missing. What is gone is forgotten, and begins again if it comes back.
 * @returns takes the needs of an account or, with null, of all; `at` is by the ledger's clock
 */
export function createFirstSeen() {
  const seen = new Map<string, string>();
  return <T extends Kept>(account: string | null, needs: readonly T[], at: string): T[] => {
    const keys = new Set<string>();
    const filled = needs.map((need) => {
      const key = JSON.stringify([need.kind, need.account, need.name, need.run]);
      keys.add(key);
      // What is stored may be forgotten before the need ends, as the last call that went well is.
      const since = need.since ?? seen.get(key) ?? at;
      seen.set(key, since);
      return { ...need, since };
    });
    // A list of one account does not say what others have.
    if (account === null) for (const key of seen.keys()) if (!keys.has(key)) seen.delete(key);
    return filled;
  };
}
