// A button that shows a masked thing in plain text, once. The audit log records it; nothing is revealed again by itself.
import { Button } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { notifyError } from '../../app/notify.ts';

export interface RevealProps<T> {
  /** What it is: `the request`. */
  readonly what: string;
  read(): Promise<T>;
  onRevealed(value: T): void;
}

export function Reveal<T>({ what, read, onRevealed }: RevealProps<T>) {
  const { t } = useTranslation('common');
  const may = useMay('operator');
  const { mutate, isPending } = useMutation({
    mutationFn: read,
    onSuccess: onRevealed,
    onError: (error) => notifyError(error, t),
  });
  if (!may) return null;
  return (
    <Button
      variant="default"
      size="compact-xs"
      leftSection={<IconEye size={14} aria-hidden />}
      loading={isPending}
      style={{ alignSelf: 'flex-start' }}
      title={t('masked.audited')}
      onClick={() => mutate()}
    >
      {t('masked.reveal', { what })}
    </Button>
  );
}
