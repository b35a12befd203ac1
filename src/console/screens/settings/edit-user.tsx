// One user: name, role, and what an admin can do about their access.
import { Button, Divider, Drawer, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconLink, IconLogout, IconUserCheck, IconUserOff } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../operator/contract/identity.ts';
import { useCommand } from '../../api/use-command.ts';
import { Facts } from '../../parts/page.tsx';
import { Time } from '../../parts/values.tsx';
import { ResetSecondFactor } from './reset-second-factor.tsx';
import { RoleChoice } from './role-choice.tsx';
import type { Secret } from './secret-dialog.tsx';
import { SessionTable } from './sessions.tsx';
import { useLink } from './use-link.ts';
import { useWaits } from './use-waits.ts';

interface EditUserProps {
  readonly user: User;
  onClose(): void;
  onSecret(secret: Secret): void;
}

export function EditUser({ user, onClose, onSecret }: EditUserProps) {
  const { t } = useTranslation('settings');
  const waits = useWaits();
  const { name, displayName, oidcIssuer, createdAt, lastLoginAt, approvalWaits } = user;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={t('users.edit', { name: displayName })}
      closeButtonProps={{ 'aria-label': t('secret.close') }}
    >
      <Stack gap="lg">
        <Facts
          facts={[
            [t('users.userName'), <code key="name">{name}</code>],
            [t('users.created'), <Time key="created" at={createdAt} as="moment" />],
            [t('users.lastLogin'), lastLoginAt === null ? t('users.never') : <Time at={lastLoginAt} />],
            ...(oidcIssuer === null ? [] : [[t('users.oidc'), oidcIssuer] as const]),
            ...(approvalWaits.length === 0
              ? []
              : [[t('users.approves'), waits(approvalWaits).join(' ')] as const]),
          ]}
        />
        <EditForm user={user} onClose={onClose} />
        <Divider label={t('users.actions')} />
        <Access user={user} onSecret={onSecret} />
        <Divider label={t('sessions.ofUser')} />
        <SessionTable label={t('sessions.ofUser')} user={name} />
      </Stack>
    </Drawer>
  );
}

function EditForm({ user, onClose }: Pick<EditUserProps, 'user' | 'onClose'>) {
  const { t } = useTranslation('settings');
  const [displayName, setDisplayName] = useState(user.displayName);
  const [unixUser, setUnixUser] = useState(user.unixUser ?? '');
  const [role, setRole] = useState(user.role);
  const save = useCommand('PATCH /users/{name}', {
    done: ({ displayName: saved }) => t('users.saved', { name: saved }),
    topics: ['session', 'audit'],
    onDone: onClose,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const unix = unixUser.trim() === '' ? null : unixUser.trim();
    // Only what was changed: a new role ends the sessions of the user.
    save.run({
      name: user.name,
      displayName: displayName.trim() === user.displayName ? undefined : displayName.trim(),
      role: role === user.role ? undefined : role,
      unixUser: unix === user.unixUser ? undefined : unix,
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t('users.displayName')}
          value={displayName}
          required
          maxLength={100}
          onChange={(event) => setDisplayName(event.currentTarget.value)}
        />
        <RoleChoice value={role} onChange={setRole} disabled={user.oidcIssuer !== null} />
        <TextInput
          label={t('users.unixUser')}
          description={t('users.unixUserHelp')}
          value={unixUser}
          maxLength={63}
          onChange={(event) => setUnixUser(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {t('users.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Access({ user, onSecret }: Pick<EditUserProps, 'user' | 'onSecret'>) {
  const { t } = useTranslation('settings');
  const { name, displayName, oidcIssuer } = user;
  const isDisabled = user.disabledAt !== null;
  const link = useLink(onSecret);
  const logout = useCommand('POST /users/{name}/logout', {
    done: () => t('users.loggedOut', { name: displayName }),
    topics: ['session', 'sessions'],
  });
  const change = useCommand('PATCH /users/{name}', {
    done: ({ disabledAt }) =>
      t(disabledAt === null ? 'users.enabledDone' : 'users.disabledDone', { name: displayName }),
  });
  const disable = () =>
    change.ask(() => ({ name, disabled: true }), {
      title: t('users.disableTitle', { name: displayName }),
      effects: t('users.disableText'),
      verb: t('users.disable'),
      dangerous: true,
    });
  return (
    <Stack gap="sm" align="flex-start">
      {oidcIssuer === null && (
        <div>
          <Button
            variant="default"
            leftSection={<IconLink size={14} aria-hidden />}
            loading={link.isPending}
            disabled={isDisabled}
            onClick={() => link.run({ name })}
          >
            {t('users.makeLink')}
          </Button>
          <Text size="xs" c="dimmed" mt={4}>
            {t('users.linkHelp')}
          </Text>
        </div>
      )}
      {user.hasSecondFactor && <ResetSecondFactor user={user} />}
      <Button
        variant="default"
        leftSection={<IconLogout size={14} aria-hidden />}
        loading={logout.isPending}
        onClick={() => logout.run({ name })}
      >
        {t('users.logout')}
      </Button>
      {isDisabled ? (
        <Button
          variant="default"
          leftSection={<IconUserCheck size={14} aria-hidden />}
          loading={change.isPending}
          onClick={() => change.run({ name, disabled: false })}
        >
          {t('users.enable')}
        </Button>
      ) : (
        <Button
          variant="danger"
          leftSection={<IconUserOff size={14} aria-hidden />}
          loading={change.isPending}
          onClick={disable}
        >
          {t('users.disable')}
        </Button>
      )}
    </Stack>
  );
}
