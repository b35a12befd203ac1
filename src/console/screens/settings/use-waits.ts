// From when a user may approve whose plans, in words.
import { useTranslation } from 'react-i18next';
import type { User } from '../../../operator/contract/identity.ts';
import { useApproval } from '../../parts/use-approval.ts';

export function useWaits(): (waits: User['approvalWaits']) => string[] {
  const { t } = useTranslation('settings');
  const { names, moment } = useApproval();
  return (waits) =>
    waits.map(({ from, plansOf }) => t('users.waits', { names: names(plansOf), at: moment(from) }));
}
