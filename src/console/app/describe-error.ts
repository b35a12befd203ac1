// What an error means for the viewer, in their language. The server's own message names the place and the way out.
import type { TFunction } from 'i18next';
import { OperatorError } from '../../operator/error.ts';

export interface DescribedError {
  readonly title: string;
  readonly message: string;
}

export function describeError(error: Error, t: TFunction): DescribedError {
  if (!(error instanceof OperatorError)) return { title: t('error.unexpected'), message: error.message };
  if (error.code === 'NOT_CONNECTED')
    return { title: t('error.kind.unavailable'), message: t('error.notConnected') };
  if (error.code === 'SECOND_FACTOR_REQUIRED')
    return { title: t('error.secondFactor'), message: t('error.secondFactorText') };
  return { title: t(`error.kind.${error.kind}`), message: error.message };
}
