// A button that reads the whole answer again with personal data in plain text. The audit log records it.
import { Button } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import textStyles from '../text.module.css';

/** Nothing for those who may not see it. */
export function UnmaskButton({ label, onUnmask }: { readonly label: string; onUnmask(): void }) {
  const { t } = useTranslation('common');
  if (!useMay('operator')) return null;
  return (
    <div>
      <Button variant="default" leftSection={<IconEye size={14} aria-hidden />} onClick={onUnmask}>
        {label}
      </Button>
      <div className={textStyles.small}>{t('masked.audited')}</div>
    </div>
  );
}
