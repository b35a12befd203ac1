// Access tokens for remote commands: one's own, and for admins those of all users.
import { Button, Checkbox } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useMay } from '../../api/session.tsx';
import { usePages } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { useUrlValue } from '../../app/use-url-state.ts';
import { Section } from '../../parts/page.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Filters } from '../../parts/table/filters.tsx';
import { timeColumn } from '../../parts/table/makers.tsx';
import { Time } from '../../parts/values.tsx';
import { AddToken } from './add-token.tsx';
import { type Secret, SecretDialog } from './secret-dialog.tsx';
import classes from './settings.module.css';

type Token = Output<'GET /tokens'>['tokens'][number];

export function AccessTokens() {
  const { t } = useTranslation('settings');
  const isAdmin = useMay('admin');
  const [all, setAll] = useUrlValue<string>('all', '');
  const isOfAll = isAdmin && all !== '';
  const tokens = usePages('GET /tokens', { all: isOfAll }, 'tokens', { cursor: 'after' });
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<Secret | null>(null);
  const columns = useColumns(isOfAll);
  return (
    <Section
      title={t('tokens.title')}
      about={t(isOfAll ? 'tokens.aboutAll' : 'tokens.about')}
      actions={
        <Button leftSection={<IconPlus size={14} aria-hidden />} onClick={() => setAdding(true)}>
          {t('tokens.add')}
        </Button>
      }
      flush
    >
      {isAdmin && (
        <Filters>
          <Checkbox
            size="xs"
            label={t('tokens.all')}
            checked={isOfAll}
            onChange={(event) => setAll(event.currentTarget.checked ? 'yes' : '')}
          />
        </Filters>
      )}
      <DataTable
        label={t('tokens.title')}
        pages={tokens}
        columns={columns}
        rowId={({ id }) => String(id)}
        empty={{ title: t('tokens.none'), text: t('tokens.noneText') }}
      />
      <AddToken isOpen={isAdding} onClose={() => setAdding(false)} onSecret={setSecret} />
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
    </Section>
  );
}

function useColumns(isOfAll: boolean): readonly Column<Token>[] {
  const { t } = useTranslation('settings');
  const name: Column<Token> = {
    id: 'name',
    header: t('tokens.name'),
    width: 'minmax(10rem, 2fr)',
    cell: (token) => <span className={classes.name}>{token.name}</span>,
  };
  const user: Column<Token> = {
    id: 'user',
    header: t('tokens.user'),
    width: 'minmax(7rem, 1fr)',
    cell: (token) => token.user,
  };
  return [
    name,
    ...(isOfAll ? [user] : []),
    timeColumn('createdAt', t('tokens.created'), { width: '9rem' }),
    timeColumn('expiresAt', t('tokens.expires'), { width: '9rem' }),
    {
      id: 'lastUsed',
      header: t('tokens.lastUsed'),
      width: '9rem',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('tokens.never') : <Time at={lastUsedAt} />),
    },
    { id: 'revoke', header: '', width: '7rem', align: 'end', cell: (token) => <Revoke token={token} /> },
  ];
}

function Revoke({ token: { id, name } }: { readonly token: Token }) {
  const { t } = useTranslation('settings');
  const revoke = useCommand('DELETE /tokens/{id}', { done: () => t('tokens.revoked', { name }) });
  const ask = () =>
    revoke.ask(() => ({ id }), {
      title: t('tokens.revokeTitle', { name }),
      effects: t('tokens.revokeText'),
      verb: t('tokens.revoke'),
      dangerous: true,
    });
  return (
    <Button
      variant="danger"
      size="compact-xs"
      loading={revoke.isPending}
      aria-label={`${t('tokens.revoke')}: ${name}`}
      onClick={ask}
    >
      {t('tokens.revoke')}
    </Button>
  );
}
