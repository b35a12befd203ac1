// Stands for the screens that are not built yet.
import { useLocation } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { SCREENS } from '../../app/screens.ts';
import { Page } from '../../parts/page.tsx';
import { EmptyState } from '../../parts/states.tsx';

export default function Later() {
  const { t } = useTranslation('common');
  const { pathname } = useLocation();
  const id = SCREENS.find(({ path }) => path === pathname)?.id ?? 'overview';
  return (
    <Page title={t(`screen.${id}`)}>
      <EmptyState title={t('later')} />
    </Page>
  );
}
