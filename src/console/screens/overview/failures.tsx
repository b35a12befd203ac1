// What failed in the last day, by kind and job. It is counted when somebody asks: that reads every failure, and the dead
// letters of Kafka, which no refresh of the overview may cost.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from '../../api/session.tsx';
import { Section } from '../../parts/page.tsx';
import { ErrorState } from '../../parts/states.tsx';
import { FailureLines } from './failure-lines.tsx';

const HOUR_MS = 3_600_000;
/** Groups read. */
const GROUPS = 500;

export function Failures() {
  const { t } = useTranslation('overview');
  const client = useClient();
  const count = useMutation({
    mutationFn: () => {
      // Refused requests are counted by full hours, so everything else is counted from a full hour on.
      const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
      const since = new Date(hour - 24 * HOUR_MS).toISOString();
      return client.call('GET /failures', { since, limit: GROUPS });
    },
  });
  return (
    <Section
      title={t('failures.title')}
      about={t('failures.about')}
      actions={
        <Button size="xs" variant="default" loading={count.isPending} onClick={() => count.mutate()}>
          {t(count.data === undefined ? 'failures.count' : 'failures.again')}
        </Button>
      }
      flush={count.data !== undefined}
    >
      {count.error !== null && <ErrorState error={count.error} onRetry={() => count.mutate()} />}
      {count.data !== undefined && (
        <Suspense>
          <FailureLines found={count.data} />
        </Suspense>
      )}
    </Section>
  );
}
