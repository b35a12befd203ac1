// Routes of events in words. What people send by hand has a route of its own, whose name nobody chose.
import { useTranslation } from 'react-i18next';
import type { OPERATOR_ROUTE } from '../../core/ids.ts';

const BY_HAND: typeof OPERATOR_ROUTE = '_cli';

/** @returns the name of a route of the configuration as it is */
export function useRouteName(): (route: string) => string {
  const { t } = useTranslation('common');
  return (route) => (route === BY_HAND ? t('sentByHand') : route);
}
