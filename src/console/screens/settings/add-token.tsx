// Makes an access token, which is shown once.
import { Button, Group, Modal, NumberInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../api/use-command.ts';
import type { Secret } from './secret-dialog.tsx';

interface AddTokenProps {
  readonly isOpen: boolean;
  onClose(): void;
  onSecret(secret: Secret): void;
}

const USUAL_DAYS = 90;
const MOST_DAYS = 366;

export function AddToken({ isOpen, onClose, onSecret }: AddTokenProps) {
  const { t } = useTranslation('settings');
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('tokens.add')}
      closeButtonProps={{ 'aria-label': t('users.cancel') }}
    >
      <Form onClose={onClose} onSecret={onSecret} />
    </Modal>
  );
}

function Form({ onClose, onSecret }: Omit<AddTokenProps, 'isOpen'>) {
  const { t } = useTranslation('settings');
  const [name, setName] = useState('');
  const [days, setDays] = useState<number | string>(USUAL_DAYS);
  const make = useCommand('POST /tokens', {
    onDone: ({ token, secret }) => {
      onClose();
      onSecret({
        title: t('tokens.secretTitle', { name: token.name }),
        text: t('tokens.secretText'),
        value: secret,
      });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.run({ name: name.trim(), days: Number(days) || USUAL_DAYS });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t('tokens.name')}
          description={t('tokens.nameHelp')}
          value={name}
          required
          maxLength={100}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <NumberInput
          label={t('tokens.days')}
          value={days}
          min={1}
          max={MOST_DAYS}
          allowDecimal={false}
          onChange={setDays}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('users.cancel')}
          </Button>
          <Button type="submit" loading={make.isPending} disabled={name.trim() === ''}>
            {t('tokens.make')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
