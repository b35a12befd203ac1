// What an error means for the viewer, in their language.
import i18next, { type TFunction } from 'i18next';
import { OperatorError } from '../../operator/error.ts';
import type { CodeWords } from './code-words.ts';

export interface DescribedError {
  readonly message: string;
  /** The server's own sentence, in English, where `message` is a translation: it names the place and the way out. */
  readonly original: string | null;
}

/** The kind of the error, as a title. */
export function titleOf(error: Error, t: TFunction): string {
  if (!(error instanceof OperatorError)) return t('error.unexpected');
  if (error.code === 'NOT_CONNECTED') return t('error.kind.unavailable');
  if (error.code === 'SECOND_FACTOR_REQUIRED') return t('error.secondFactor');
  return t(`error.kind.${error.kind}`);
}

export function describeError(error: Error, t: TFunction, words: CodeWords): DescribedError {
  const asIs = (message: string) => ({ message, original: null });
  if (!(error instanceof OperatorError)) return asIs(error.message);
  if (error.code === 'NOT_CONNECTED') return asIs(t('error.notConnected'));
  if (error.code === 'SECOND_FACTOR_REQUIRED') return asIs(t('error.secondFactorText'));
  const translated = i18next.language === 'en' ? null : words(error.code);
  return translated === null ? asIs(error.message) : { message: translated, original: error.message };
}
