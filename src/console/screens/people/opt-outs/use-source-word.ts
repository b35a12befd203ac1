// How it is known that a person opted out, in words.
import { useTranslation } from 'react-i18next';

/** One that a newer server knows stays as it is. */
export function useSourceWord(): (source: string) => string {
  const { t, i18n } = useTranslation('opt-outs');
  return (source) =>
    i18n.exists(`opt-outs:sourceOf.${source}`) ? t(`sourceOf.${source}` as 'sourceOf.tag') : source;
}
