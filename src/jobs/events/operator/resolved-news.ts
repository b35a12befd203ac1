// Events of dead letters that an operator has replayed or discarded.
import type { LoadedConfig } from '../../../config/load.ts';
import type { FoundDeadLetter } from '../ingress/kafka/index.ts';
import { recordNews } from '../store/dead-letter-news.ts';

/** A route that the configuration no longer has belongs to no account, so its dead letters have no events. */
export function resolvedNews(
  { config }: Pick<LoadedConfig, 'config'>,
  deadLetters: readonly FoundDeadLetter[],
  { how, by, at }: { readonly how: 'replayed' | 'discarded'; readonly by: string; readonly at: string },
) {
  return deadLetters.flatMap(({ origin, route, code, reason }) => {
    const account = config.routes[route]?.account;
    if (account === undefined) return [];
    return [recordNews({ account, route, code, reason, origin, at: new Date(at) }, { how, by })];
  });
}
