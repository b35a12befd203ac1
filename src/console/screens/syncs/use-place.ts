// Where a row ended, in words of the work: a field of the mapping or a step of the sync.
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** A place that has no words stays as it is, for example a field of the account. */
export function usePlace(): (place: string) => string {
  const { t } = useTranslation('syncs');
  return useCallback(
    (place) => {
      const words: Readonly<Record<string, string>> = t('place', { returnObjects: true });
      const name = place.replace(/^(?:card\.)?(?:extraInfo|customFields)\./, '');
      if (name !== place) return t('extraPlace', { name });
      return Object.hasOwn(words, place) ? (words[place] ?? place) : place;
    },
    [t],
  );
}
