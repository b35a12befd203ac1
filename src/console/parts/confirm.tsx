// Asks before a far-reaching command: says what it will do, and takes a reason for the audit log.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { createContext, type FormEvent, type ReactNode, use, useCallback, useRef, useState } from 'react';
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
}

type Ask = (question: Question) => Promise<{ readonly reason: string } | null>;

const ConfirmContext = createContext<Ask>(() => Promise.resolve(null));

/** `const answer = await confirm({ … }); if (answer !== null) cancel.run({ run, reason: answer.reason })` */
export const useConfirm = () => use(ConfirmContext);

export function ConfirmProvider({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('common');
  const [question, setQuestion] = useState<Question | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const settle = useRef<(answer: { readonly reason: string } | null) => void>(() => undefined);
  const ask = useCallback<Ask>((asked) => {
    setQuestion(asked);
    setReason('');
    setOpen(true);
    return new Promise((resolve) => {
      settle.current = resolve;
    });
  }, []);
  const close = (answer: { readonly reason: string } | null) => {
    setOpen(false);
    settle.current(answer);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    close({ reason: reason.trim() });
  };
  const asksReason = question?.reason !== undefined && question.reason !== 'none';
  const isIncomplete = question?.reason === 'required' && reason.trim() === '';
  return (
    <ConfirmContext value={ask}>
      {children}
      <Modal
        opened={isOpen}
        onClose={() => close(null)}
        title={question?.title}
        closeButtonProps={{ 'aria-label': t('confirm.keep') }}
      >
        <form onSubmit={submit}>
          <Stack gap="md">
            <div>{question?.effects}</div>
            {asksReason && (
              <TextInput
                label={t(question.reason === 'required' ? 'confirm.reason' : 'confirm.reasonOptional')}
                description={t('confirm.reasonUse')}
                value={reason}
                maxLength={500}
                data-autofocus
                onChange={(event) => setReason(event.currentTarget.value)}
              />
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={() => close(null)}>
                {t('confirm.keep')}
              </Button>
              <Button
                type="submit"
                color={question?.dangerous === true ? 'red.9' : undefined}
                disabled={isIncomplete}
              >
                {question?.verb}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </ConfirmContext>
  );
}
