// Codes in words of the page's language. Their catalogs load with the first code that a page shows.
import { useTranslation } from 'react-i18next';

export type CodeWords = (code: string | null | undefined) => string | null;

/** Null: a code that has no words. */
export function useCodeWords(): CodeWords {
  // Of data and the service; and of what the operator API refuses.
  const { t } = useTranslation(['codes', 'refusals']);
  const catalogs: readonly Readonly<Record<string, string>>[] = [
    t('codes:of', { returnObjects: true }),
    t('refusals:of', { returnObjects: true }),
  ];
  return (code) => {
    if (code == null) return null;
    const words = catalogs.find((each) => Object.hasOwn(each, code));
    return words?.[code] ?? null;
  };
}
