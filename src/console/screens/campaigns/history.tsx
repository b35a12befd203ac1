// Who did what to a run, when and why.
import { useTranslation } from 'react-i18next';
import { useCall } from '../../api/use-call.ts';
import { Section } from '../../parts/page.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { Timeline } from '../../parts/timeline.tsx';

export function History({ run }: { readonly run: string }) {
  const { t } = useTranslation('campaigns');
  const audit = useCall('GET /campaigns/{campaign}/audit', { campaign: run, limit: 200 });
  return (
    <Section title={t('run.tab.history')}>
      <Loaded of={audit}>
        {({ entries }) =>
          entries.length === 0 ? (
            <EmptyState title={t('history.empty')} />
          ) : (
            <Timeline
              label={t('history.label')}
              entries={entries.map(({ seq, at, by, action, reason, details }) => ({
                id: String(seq),
                at,
                title: t('history.entry', { action, by }),
                details: [reason, describe(details)].filter((part) => part !== '').join(' · '),
              }))}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

/** Counts of nothing are left out. */
function describe(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== 0 && value !== null && value !== false)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}
