// Says that a campaign which needs a second person has none yet, beside the button that saves it.
import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCall } from '../../../api/use-call.ts';
import { useApproval } from '../../../parts/use-approval.ts';

export function WithoutApprover() {
  const { t } = useTranslation('campaign-form');
  const words = useApproval();
  const { data } = useCall('GET /campaign-approvers', {}, { topics: ['session'] });
  if (data === undefined || data.approvers.length > 0) return null;
  return (
    <Alert color="yellow" role="status" p="xs">
      {t('draft.noApprover')} {words.approvers(data)} {t('draft.noWayBack')}
    </Alert>
  );
}
