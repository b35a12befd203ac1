// The lists of an account as tables of ids and names.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccountLists } from '../../../operator/contract/accounts.ts';
import textStyles from '../../parts/text.module.css';
import classes from './settings.module.css';

interface Row {
  readonly id: string;
  readonly name: ReactNode;
  readonly isNested?: boolean;
}

export function AccountListsView({ lists }: { readonly lists: AccountLists }) {
  const { t } = useTranslation('settings');
  const { pipelines, tags, connections, lostReasons, users, sources, flows } = lists;
  const named = (items: readonly { readonly id: number; readonly name: string | null }[]): Row[] =>
    items.map(({ id, name }) => ({
      id: String(id),
      name: name ?? <span className={textStyles.small}>{t('accounts.noName')}</span>,
    }));
  return (
    <div className={classes.lists}>
      <List
        title={t('accounts.list.pipelines')}
        error={pipelines.error}
        rows={pipelines.items.flatMap(({ id, name, stages }) => [
          { id: String(id), name: <span className={classes.name}>{name}</span> },
          ...stages.map(({ id: stage, name: words, isFinal, isWon }) => ({
            id: `${stage}`,
            isNested: true,
            name: (
              <>
                {words}{' '}
                <span className={textStyles.small}>
                  {isFinal && isWon !== null ? t(isWon ? 'accounts.won' : 'accounts.lost') : null}
                </span>
              </>
            ),
          })),
        ])}
      />
      <List title={t('accounts.list.tags')} error={tags.error} rows={named(tags.items)} />
      <List
        title={t('accounts.list.connections')}
        error={connections.error}
        rows={connections.items.map(({ id, name, channel, status, isDefault }) => ({
          id: String(id),
          name: (
            <>
              {name}{' '}
              <span className={textStyles.small}>
                {[channel, status, ...(isDefault ? [t('accounts.default')] : [])].join(' · ')}
              </span>
            </>
          ),
        }))}
      />
      <List
        title={t('accounts.list.flows')}
        about={t('accounts.flows')}
        error={null}
        rows={flows.map(({ id, usedBy }) => ({
          id: String(id),
          name: (
            <span className={textStyles.small}>{t('accounts.usedBy', { names: usedBy.join(', ') })}</span>
          ),
        }))}
      />
      <List
        title={t('accounts.list.lostReasons')}
        error={lostReasons.error}
        rows={named(lostReasons.items)}
      />
      <List
        title={t('accounts.list.users')}
        about={t('accounts.seen')}
        error={users.error}
        rows={named(users.items)}
      />
      <List
        title={t('accounts.list.sources')}
        about={t('accounts.seen')}
        error={sources.error}
        rows={named(sources.items)}
      />
    </div>
  );
}

function List({
  title,
  about,
  error,
  rows,
}: {
  readonly title: string;
  readonly about?: string;
  readonly error: string | null;
  readonly rows: readonly Row[];
}) {
  const { t } = useTranslation('settings');
  return (
    <div>
      <h3>{title}</h3>
      {about !== undefined && <div className={textStyles.small}>{about}</div>}
      {error !== null && (
        <div className={classes.warn}>
          {t('accounts.failed')}: {error}
        </div>
      )}
      {rows.length === 0 ? (
        error === null && (
          <Text c="dimmed" size="sm">
            {t('accounts.empty')}
          </Text>
        )
      ) : (
        <table className={classes.ids} aria-label={title}>
          <tbody>
            {rows.map(({ id, name, isNested = false }) => (
              <tr key={`${isNested} ${id}`} data-nested={isNested}>
                <th scope="row">{id}</th>
                <td>{name}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
