// The tokens of the configuration, by the hash that names them in the ledger.
import type { LoadedConfig } from '../../../config/load.ts';
import { shortHash } from '../../../core/sql/short-hash.ts';
import type { OperatorDeps } from '../deps.ts';

export interface ConfiguredToken {
  readonly account: string;
  readonly token: string;
  /** From 1. */
  readonly position: number;
  /** Calls per minute, as configured. */
  readonly limit: number;
}

/** Reads the tokens once for each loaded configuration. A token whose secret cannot be read is left out. */
export function createTokenList({ config, log }: Pick<OperatorDeps, 'config' | 'log'>) {
  const lists = new WeakMap<LoadedConfig, Promise<readonly ConfiguredToken[]>>();
  const read = async (loaded: LoadedConfig): Promise<readonly ConfiguredToken[]> => {
    const tokens = new Map<string, ConfiguredToken>();
    for (const [account, { tokens: refs, callsPerMinute: limit }] of Object.entries(loaded.config.accounts)) {
      for (const [at, ref] of refs.entries()) {
        try {
          const { value } = await loaded.secret(ref);
          const token = shortHash(value);
          // Two accounts may name one token; it has one budget.
          if (!tokens.has(token)) tokens.set(token, { account, token, position: at + 1, limit });
        } catch (error) {
          log.warn({ account, token: at + 1, err: error }, 'the overview cannot show a token');
        }
      }
    }
    return [...tokens.values()];
  };
  return async (): Promise<readonly ConfiguredToken[]> => {
    const loaded = config();
    const known = lists.get(loaded) ?? read(loaded);
    lists.set(loaded, known);
    return await known;
  };
}

export const keysOf = (tokens: readonly ConfiguredToken[]) => tokens.map(({ token }) => token);
