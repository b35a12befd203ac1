// Adds a user, and shows the link with which they choose a password.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RoleName } from '../../api/roles.ts';
import { useCommand } from '../../api/use-command.ts';
import { RoleChoice } from './role-choice.tsx';
import type { Secret } from './secret-dialog.tsx';
import { useLink } from './use-link.ts';

interface AddUserProps {
  readonly isOpen: boolean;
  onClose(): void;
  onSecret(secret: Secret): void;
}

export function AddUser({ isOpen, onClose, onSecret }: AddUserProps) {
  const { t } = useTranslation('settings');
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('users.add')}
      closeButtonProps={{ 'aria-label': t('users.cancel') }}
    >
      <Form onClose={onClose} onSecret={onSecret} />
    </Modal>
  );
}

function Form({ onClose, onSecret }: Omit<AddUserProps, 'isOpen'>) {
  const { t } = useTranslation('settings');
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [unixUser, setUnixUser] = useState('');
  const [role, setRole] = useState<RoleName>('viewer');
  const link = useLink(onSecret);
  const add = useCommand('POST /users', {
    done: ({ displayName: added }) => t('users.added', { name: added }),
    onDone: (user) => {
      onClose();
      link.run({ name: user.name });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.run({
      name: name.trim(),
      role,
      displayName: displayName.trim() || undefined,
      unixUser: unixUser.trim() || undefined,
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t('users.userName')}
          description={t('users.userNameHelp')}
          value={name}
          required
          maxLength={63}
          pattern="[a-z0-9][a-z0-9._\-]*"
          autoComplete="off"
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label={t('users.displayName')}
          value={displayName}
          maxLength={100}
          autoComplete="off"
          onChange={(event) => setDisplayName(event.currentTarget.value)}
        />
        <RoleChoice value={role} onChange={setRole} />
        <TextInput
          label={t('users.unixUser')}
          description={t('users.unixUserHelp')}
          value={unixUser}
          maxLength={63}
          autoComplete="off"
          onChange={(event) => setUnixUser(event.currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('users.cancel')}
          </Button>
          <Button type="submit" loading={add.isPending} disabled={name.trim() === ''}>
            {t('users.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
