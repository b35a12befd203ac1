// What a viewer sees instead of a screen that does not exist or that failed.
import { Anchor } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page } from '../parts/page.tsx';
import { EmptyState, ErrorState } from '../parts/states.tsx';

export function NotFoundScreen() {
  const { t } = useTranslation('common');
  return (
    <Page title={t('notFound.title')}>
      <EmptyState
        title={t('notFound.text')}
        action={
          <Anchor component={Link} to="/">
            {t('notFound.back')}
          </Anchor>
        }
      />
    </Page>
  );
}

export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation('common');
  return (
    <Page title={t('error.unexpected')}>
      <ErrorState error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
    </Page>
  );
}
