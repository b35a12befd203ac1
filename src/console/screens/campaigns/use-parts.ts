// Parts of an audience in words.
import { useTranslation } from 'react-i18next';
import type { Rules } from './data.ts';

const KINDS = ['cards', 'contacts', 'source', 'ledger'] as const;

export function useParts(): (part: Rules['parts'][number]) => string {
  const { t } = useTranslation('campaigns');
  const { t: form } = useTranslation('campaign-form');
  return ({ from, filters }) => {
    const kind = KINDS.find((each) => each === from);
    const words = filters.map(({ name, value }) => {
      const label = name === 'tags' || name === 'withoutTags' ? t(`rules.${name}`) : name;
      return `${label}: ${value}`;
    });
    return [kind === undefined ? from : form(`draft.kind.${kind}`), ...words].join(', ');
  };
}
