// Why something failed, was refused or waits: the code in words of the page's language, then the reason of this case.
import { useTranslation } from 'react-i18next';
import { ownReason } from '../../core/own-reason.ts';
import classes from './text.module.css';

interface ReasonProps {
  readonly code: string | null;
  /** What the service or Sluice said about this case, in English. */
  readonly reason: string | null;
}

export function Reason({ code, reason }: ReasonProps) {
  const words = useCodeWords()(code);
  const own = ownReason(code, reason);
  return (
    <span className={classes.wrap}>
      {words ?? own ?? code}
      {words !== null && own !== null && <span className={classes.small}>: {own}</span>}
      {code !== null && (words ?? own) !== null && (
        <>
          {' '}
          <code>{code}</code>
        </>
      )}
    </span>
  );
}

/** Null: a code that has no words. */
function useCodeWords(): (code: string | null) => string | null {
  const { t } = useTranslation('codes');
  const words: Readonly<Record<string, string>> = t('of', { returnObjects: true });
  return (code) => (code !== null && Object.hasOwn(words, code) ? (words[code] ?? null) : null);
}
