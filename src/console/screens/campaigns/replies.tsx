// When people reply: a heat map over weekdays and hours, in the time zone of the account.
import { SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCall } from '../../api/use-call.ts';
import { useUrlValue } from '../../app/use-url-state.ts';
import { HeatMap } from '../../parts/charts/heat-map.tsx';
import { Section } from '../../parts/page.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';

const EVERY_MS = 60_000;

export function Replies({ campaign, run }: { readonly campaign: string; readonly run: string }) {
  const { t } = useTranslation('campaigns');
  const [which, setWhich] = useUrlValue<'all' | 'this'>('replies', 'all');
  const hours = useCall(
    'GET /campaigns/{campaign}/replies',
    { campaign: which === 'all' ? campaign : run },
    { everyMs: EVERY_MS },
  );
  const { data } = hours;
  return (
    <Section
      title={t('replies.title')}
      about={data && t('replies.about', { count: data.replies, zone: data.timeZone })}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('replies.which')}
          value={which}
          onChange={(value) => setWhich(value as 'all' | 'this')}
          data={[
            { value: 'all', label: t('replies.all') },
            { value: 'this', label: t('replies.this') },
          ]}
        />
      }
    >
      <Loaded of={hours}>
        {({ cells, replies }) => {
          if (replies === 0) return <EmptyState title={t('replies.empty')} text={t('replies.emptyText')} />;
          const values = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
          for (const cell of cells) {
            const day = values[cell.weekday - 1];
            if (day !== undefined) day[cell.hour] = cell.replies;
          }
          return <HeatMap label={t('replies.title')} values={values} unit={t('replies.unit')} />;
        }}
      </Loaded>
    </Section>
  );
}
