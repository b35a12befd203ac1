// The dialog of a question. It loads at the first question, because the first screen needs none.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

export interface Question {
  /** The command as a question: `Cancel the campaign “Spring”?` */
  readonly title: string;
  /** What will happen, with numbers, and what cannot be undone. */
  readonly effects: ReactNode;
  /** The verb on the button: `Cancel campaign`. */
  readonly verb: string;
  /** Red button, for what cannot be undone. */
  readonly dangerous?: boolean;
  readonly reason?: 'none' | 'optional' | 'required';
  /** What the reason answers. @default the reason */
  readonly reasonLabel?: string;
  /** Maximum length of the reason. @default 500 */
  readonly reasonLength?: number;
}

export interface Answer {
  readonly reason: string;
}

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
