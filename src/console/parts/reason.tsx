// Why something failed, was refused or waits: the code in words of the page's language, then the reason of this case.
import { useTranslation } from 'react-i18next';
import { ownReason } from '../../core/own-reason.ts';
import { useCodeWords } from '../app/code-words.ts';
import { Original } from './original.tsx';
import classes from './text.module.css';

interface ReasonProps {
  readonly code: string | null;
  /** What the service or Sluice said about this case, in English. */
  readonly reason: string | null;
}

export function Reason({ code, reason }: ReasonProps) {
  const { i18n } = useTranslation('common');
  const words = useCodeWords()(code);
  const own = ownReason(code, reason);
  const isEnglish = i18n.language === 'en';
  return (
    <span className={classes.wrap}>
      {words ?? own ?? code}
      {words !== null && own !== null && isEnglish && <span className={classes.small}>: {own}</span>}
      {code !== null && (words ?? own) !== null && (
        <>
          {' '}
          <code>{code}</code>
        </>
      )}
      {words !== null && own !== null && !isEnglish && <Original text={own} />}
    </span>
  );
}
