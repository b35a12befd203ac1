// Who has to have a second factor, as the configuration says now.
import type { LoadedConfig } from '../../config/load.ts';
import type { OperatorConfig } from '../../config/schema/operator.ts';
import type { UserRow } from '../store/identity/users.ts';

export type SecondFactorPolicy = OperatorConfig['secondFactor'];

export function secondFactorPolicy({ config }: LoadedConfig): SecondFactorPolicy {
  return config.operator.secondFactor;
}

/** Whether a user has to turn a second factor on before anything else. An OpenID provider asks its own users. */
export function needsSecondFactor(
  { hasSecondFactor, oidcIssuer }: Pick<UserRow, 'hasSecondFactor' | 'oidcIssuer'>,
  policy: SecondFactorPolicy,
): boolean {
  return policy === 'required' && oidcIssuer === null && !hasSecondFactor;
}
