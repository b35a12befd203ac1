// Accounts and what they offer.

import type { LoadedConfig } from '../../config/load.ts';
import { secretPlace } from '../../config/secret-place.ts';
import { UnknownNameError } from '../../core/config/errors.ts';
import { redactTokens } from '../../core/redaction.ts';
import { suggestion } from '../../core/suggest.ts';
import type { ACCOUNTS } from '../contract/accounts.ts';
import type { Handlers, OperatorDeps } from './deps.ts';

export function accountHandlers({ config, tools }: OperatorDeps): Handlers<keyof typeof ACCOUNTS> {
  return {
    'GET /accounts': async () => ({
      accounts: Object.entries(config().config.accounts).map(([account, { baseUrl, timeZone, ...rest }]) => ({
        account,
        baseUrl: redactTokens(baseUrl),
        timeZone: timeZone ?? 'UTC',
        tokens: rest.tokens.length,
        tokenPlaces: rest.tokens.map(secretPlace),
        callsPerMinute: rest.callsPerMinute * rest.tokens.length,
      })),
    }),
    'POST /accounts/{account}/lists': async ({ account }) => {
      requireAccount(config(), account);
      return await tools.readAccount(account);
    },
  };
}

/** @throws UnknownNameError */
export function requireAccount(
  { config: { accounts } }: Pick<LoadedConfig, 'config'>,
  account: string,
): void {
  if (!Object.hasOwn(accounts, account))
    throw new UnknownNameError('account', account, suggestion(account, Object.keys(accounts), 'accounts'));
}
