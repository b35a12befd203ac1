// What is known about the call of a row whose outcome is unknown.
import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Facts } from '../../../parts/page.tsx';
import textStyles from '../../../parts/text.module.css';
import { Count, None, Time } from '../../../parts/values.tsx';
import type { Row } from '../data.ts';

type Hints = NonNullable<Row['hints']>;

export function RowHints({ hints }: { readonly hints: Hints }) {
  const { t } = useTranslation('syncs');
  const { effect, target, sentAt, sends, contact, contactSeenAt, card } = hints;
  return (
    <Stack gap="xs">
      <div className={textStyles.small}>{t('hints.about')}</div>
      <Facts
        facts={[
          [t('hints.sent'), t(`hints.effect.${effect}`, { target: target ?? '–' })],
          [t('hints.sentAt'), <Time key="sentAt" at={sentAt} as="moment" />],
          [t('hints.sends'), <Count key="sends" of={sends} />],
          [t('hints.contact'), contact === null ? t('hints.noContact') : String(contact)],
          [t('hints.seen'), <Time key="seen" at={contactSeenAt} as="moment" />],
          [t('hints.card'), card === null ? <None key="card" /> : <KnownCard key="card" card={card} />],
        ]}
      />
    </Stack>
  );
}

function KnownCard({ card: { id, since, inTarget } }: { readonly card: NonNullable<Hints['card']> }) {
  const { t } = useTranslation('syncs');
  return (
    <>
      <div>{id}</div>
      <div className={textStyles.small}>{t(since ? 'hints.cardSince' : 'hints.cardBefore')}</div>
      {inTarget !== null && (
        <div className={textStyles.small}>{t(inTarget ? 'hints.inTarget' : 'hints.notInTarget')}</div>
      )}
    </>
  );
}
