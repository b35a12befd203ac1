// Why a login was refused.
import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { OperatorError } from '../../../operator/error.ts';
import { ErrorText } from '../../parts/reason/error-text.tsx';

export function Refusal({ error }: { readonly error: Error | null }) {
  const { t } = useTranslation('login');
  if (error === null) return null;
  const wait = error instanceof OperatorError ? error.retryAfterMs : undefined;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} role="alert" p="xs">
      {wait === undefined ? <ErrorText error={error} /> : t('wait', { count: Math.ceil(wait / 1000) })}
    </Alert>
  );
}
