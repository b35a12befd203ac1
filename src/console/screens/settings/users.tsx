// Who may log in: list, add, and what can be changed about one.
import { Button } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../operator/contract/identity.ts';
import { useViewer } from '../../api/session.tsx';
import { usePages } from '../../api/use-call.ts';
import { useUrlValue } from '../../app/use-url-state.ts';
import { Section } from '../../parts/page.tsx';
import { Chip, Status } from '../../parts/status.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import textStyles from '../../parts/text.module.css';
import { useApproval } from '../../parts/use-approval.ts';
import { Time } from '../../parts/values.tsx';
import { AddUser } from './add-user.tsx';
import { EditUser } from './edit-user.tsx';
import { type Secret, SecretDialog } from './secret-dialog.tsx';
import classes from './settings.module.css';
import { useWaits } from './use-waits.ts';

export function Users() {
  const { t } = useTranslation('settings');
  const users = usePages('GET /users', {}, 'users', { cursor: 'after' });
  const columns = useColumns(users.rows);
  const [openName, setOpen] = useUrlValue<string>('user', '');
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<Secret | null>(null);
  const open = users.rows.find(({ name }) => name === openName);
  return (
    <Section
      title={t('users.title')}
      about={t('users.about')}
      actions={
        <Button leftSection={<IconUserPlus size={14} aria-hidden />} onClick={() => setAdding(true)}>
          {t('users.add')}
        </Button>
      }
      flush
    >
      <DataTable
        label={t('users.title')}
        pages={users}
        columns={columns}
        rowId={({ name }) => name}
        openId={openName}
        onOpen={({ name }) => setOpen(name)}
        empty={{ title: t('users.none') }}
      />
      <AddUser isOpen={isAdding} onClose={() => setAdding(false)} onSecret={setSecret} />
      {open !== undefined && (
        <EditUser key={open.name} user={open} onClose={() => setOpen('')} onSecret={setSecret} />
      )}
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
    </Section>
  );
}

function useColumns(rows: readonly User[]): readonly Column<User>[] {
  const { t } = useTranslation('settings');
  const { t: common } = useTranslation('common');
  const me = useViewer()?.user.name;
  const { moment } = useApproval();
  const waits = useWaits();
  const approves: Column<User> = {
    id: 'approves',
    header: t('users.approves'),
    width: 'minmax(14rem, 1fr)',
    cell: ({ approvalWaits }) => {
      const last = approvalWaits.at(-1);
      if (last === undefined) return '';
      return (
        <span title={waits(approvalWaits).join(' ')}>
          {t('users.approvesFrom', { at: moment(last.from) })}
        </span>
      );
    },
  };
  return [
    {
      id: 'name',
      header: t('users.name'),
      width: 'minmax(12rem, 2fr)',
      cell: ({ name, displayName }) => (
        <>
          <span className={classes.name}>{displayName}</span>{' '}
          {displayName !== name && <span className={textStyles.small}>{name} </span>}
          {name === me && <Chip tone="info">{t('users.you')}</Chip>}
        </>
      ),
    },
    { id: 'role', header: t('users.role'), width: '8rem', cell: ({ role }) => common(`role.${role}`) },
    {
      id: 'login',
      header: t('users.login'),
      width: 'minmax(10rem, 1fr)',
      cell: ({ hasPassword, hasSecondFactor, oidcIssuer, unixUser }) =>
        [
          ...(hasPassword ? [t(hasSecondFactor ? 'users.passwordAndCode' : 'users.password')] : []),
          ...(oidcIssuer === null ? [] : [t('users.oidc')]),
          ...(unixUser === null ? [] : [t('users.unix', { name: unixUser })]),
          ...(hasPassword || oidcIssuer !== null ? [] : [t('users.link')]),
        ].join(', '),
    },
    ...(rows.some(({ approvalWaits }) => approvalWaits.length > 0) ? [approves] : []),
    {
      id: 'lastLoginAt',
      header: t('users.lastLogin'),
      width: '9rem',
      cell: ({ lastLoginAt }) => (lastLoginAt === null ? t('users.never') : <Time at={lastLoginAt} />),
    },
    {
      id: 'state',
      header: t('users.state'),
      width: '8rem',
      cell: ({ disabledAt }) => (
        <Status
          of={disabledAt === null ? 'ok' : 'off'}
          label={t(disabledAt === null ? 'users.active' : 'users.disabled')}
        />
      ),
    },
  ];
}
