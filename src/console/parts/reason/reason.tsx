// Why something failed, was refused or waits, in words of the page's language: the sentence of this case, or the code in
// words and what the server said about this case.
import { useTranslation } from 'react-i18next';
import type { NoteParams } from '../../../core/endpoint.ts';
import { ownReason } from '../../../core/own-reason.ts';
import { useCodeWords } from '../../app/code-words.ts';
import { type Format, useFormat } from '../../format/use-format.ts';
import classes from '../text.module.css';
import { Original } from './original.tsx';

interface ReasonProps {
  readonly code: string | null;
  /** What the service or Sluice said about this case, in English. */
  readonly reason: string | null;
  readonly params?: NoteParams | undefined;
}

/** The sentences of the doctor load with its page. */
type SentenceCatalog = 'reasons' | 'doctor';

export function Reason({ code, reason, params }: ReasonProps) {
  const { i18n } = useTranslation('common');
  const sentence = useSentence()(code, params);
  const words = useCodeWords()(code);
  const format = useFormat();
  const said = ownReason(code, reason);
  const own = said === null ? null : format.text(said);
  const isEnglish = i18n.language === 'en';
  if (sentence !== null)
    return (
      <span className={classes.wrap}>
        {sentence} <code>{code}</code>
      </span>
    );
  return (
    <span className={classes.wrap}>
      {words ?? (own === null ? code : asSentence(own))}
      {words !== null && own !== null && isEnglish && <span className={classes.small}>: {own}</span>}
      {code !== null && (words ?? own) !== null && (
        <>
          {' '}
          <code>{code}</code>
        </>
      )}
      {words !== null && own !== null && !isEnglish && !WHOLE.has(code ?? '') && <Original text={own} />}
    </span>
  );
}

/** Codes whose words say all that the server says. */
const WHOLE: ReadonlySet<string> = new Set(['required', 'NO_CONTACT']);

/** Names keep their case, so only a word of the language at the beginning becomes a capital. */
function asSentence(text: string): string {
  return text.replace(/^(?:the|an?|no|it) /, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}

/** Null: the case has no figures, or no sentence for them. */
export function useSentence(
  catalog: SentenceCatalog = 'reasons',
): (code: string | null, params: NoteParams | undefined) => string | null {
  const { t } = useTranslation(catalog);
  const format = useFormat();
  return (code, params) => {
    if (code === null || params === undefined) return null;
    const sentences: Readonly<Record<string, string>> = t('of', { returnObjects: true });
    const { which, ...values } = params;
    const keys = which === undefined ? [code] : which.map((each) => `${code}_${each}`);
    // Every plural has a form for other numbers.
    if (!keys.every((key) => Object.hasOwn(sentences, key) || Object.hasOwn(sentences, `${key}_other`)))
      return null;
    const shown = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, shownAs(name, value, format)]),
    );
    return keys.map((key) => t(`of.${key}` as never, shown as never)).join(' ');
  };
}

/** The end of its name says what a value is. */
function shownAs(name: string, value: string | number | readonly string[], format: Format) {
  // The form of a plural depends on the number.
  if (name === 'count') return value;
  if (typeof value === 'object') return format.list(value);
  if (typeof value === 'string') return name.endsWith('At') ? format.moment(value) : value;
  if (name.endsWith('Ms')) return format.duration(value / 1000);
  return name.endsWith('Share') ? format.percent(value) : format.count(value);
}
