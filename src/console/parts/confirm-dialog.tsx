// The dialog of a question. It loads at the first question, because the first screen needs none.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Answer, Question } from './confirm.tsx';

export interface ConfirmDialogProps {
  readonly question: Question;
  readonly isOpen: boolean;
  onAnswer(answer: Answer | null): void;
}

export default function ConfirmDialog({ question, isOpen, onAnswer }: ConfirmDialogProps) {
  const { t } = useTranslation('common');
  const [reason, setReason] = useState('');
  const { title, effects, verb, dangerous = false, reason: wanted = 'none' } = question;
  const { reasonLabel, reasonLength = 500 } = question;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAnswer({ reason: reason.trim() });
  };
  return (
    <Modal
      opened={isOpen}
      onClose={() => onAnswer(null)}
      title={title}
      closeButtonProps={{ 'aria-label': t('confirm.keep') }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <div>{effects}</div>
          {wanted !== 'none' && (
            <TextInput
              label={reasonLabel ?? t(wanted === 'required' ? 'confirm.reason' : 'confirm.reasonOptional')}
              description={t('confirm.reasonUse')}
              value={reason}
              maxLength={reasonLength}
              data-autofocus
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => onAnswer(null)}>
              {t('confirm.keep')}
            </Button>
            <Button
              type="submit"
              color={dangerous ? 'red.9' : undefined}
              disabled={wanted === 'required' && reason.trim() === ''}
            >
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
