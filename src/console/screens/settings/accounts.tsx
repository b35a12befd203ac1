// Accounts of the configuration, and what the service has in them, with the ids that configurations need.
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useClient, useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { notifyError } from '../../app/notify.ts';
import { useUrlValue } from '../../app/use-url-state.ts';
import { useFormat } from '../../format/use-format.ts';
import listStyles from '../../parts/list.module.css';
import { Section } from '../../parts/page.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import { AccountListsView } from './account-lists.tsx';
import { RefusedToken } from './refused-token.tsx';
import classes from './settings.module.css';

type Account = Output<'GET /accounts'>['accounts'][number];
type Overview = Output<'GET /overview'>;

export function Accounts() {
  const { t } = useTranslation('settings');
  const accounts = useCall('GET /accounts', {});
  const overview = useCall('GET /overview', {});
  // The service states its limit in its answers; the configuration only says what to expect before.
  const limitOf = (account: string) =>
    overview.data?.tokens
      .filter((token) => token.account === account)
      .reduce((sum, { limit }) => sum + limit, 0) ?? null;
  const refusedOf = (account: string) =>
    (overview.data?.tokens ?? []).filter((token) => token.account === account && token.marks.length > 0);
  const [chosen] = useUrlValue<string>('account', '');
  return (
    <Loaded of={accounts}>
      {({ accounts: all }) =>
        all.length === 0 ? (
          <Section title={t('tab.accounts')} flush>
            <EmptyState title={t('accounts.none')} text={t('accounts.noneText')} />
          </Section>
        ) : (
          inOrder(all, chosen).map((account) => (
            <AccountSection
              key={account.account}
              account={account}
              limitNow={limitOf(account.account)}
              refused={refusedOf(account.account)}
            />
          ))
        )
      }
    </Loaded>
  );
}

/** The account that a link names is first. */
function inOrder(accounts: readonly Account[], chosen: string): readonly Account[] {
  return accounts.toSorted((a, b) => Number(b.account === chosen) - Number(a.account === chosen));
}

function AccountSection({
  account: { account, baseUrl, timeZone, tokens, tokenPlaces, callsPerMinute },
  limitNow,
  refused,
}: {
  readonly account: Account;
  /** Tokens that the service refuses. */
  readonly refused: Overview['tokens'];
  /** Calls per minute of all tokens, as the service last stated; null until it is read. */
  readonly limitNow: number | null;
}) {
  const { t } = useTranslation('settings');
  const { t: common } = useTranslation('common');
  const format = useFormat();
  const client = useClient();
  const may = useMay('editor');
  // Only on a click: it spends calls of the budget.
  const lists = useMutation({
    mutationFn: () => client.call('POST /accounts/{account}/lists', { account }),
    onError: (error) => notifyError(error, common),
  });
  return (
    <Section
      title={account}
      about={[
        baseUrl,
        `${t('accounts.timeZone')}: ${timeZone}`,
        `${t('accounts.tokens')}: ${format.count(tokens)}`,
        `${t('accounts.callsPerMinute')}: ${
          limitNow === null || limitNow === callsPerMinute
            ? format.count(callsPerMinute)
            : t('accounts.limitNow', {
                now: format.count(limitNow),
                configured: format.count(callsPerMinute),
              })
        }`,
      ].join(' · ')}
      actions={
        may && (
          <Button
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            loading={lists.isPending}
            title={t('accounts.readHelp')}
            onClick={() => lists.mutate()}
          >
            {t(lists.data === undefined ? 'accounts.read' : 'accounts.readAgain')}
          </Button>
        )
      }
      flush
    >
      {refused.map(({ position, marks }) => {
        const place = tokenPlaces[position - 1];
        return (
          place !== undefined && (
            <RefusedToken key={position} account={account} position={position} place={place} marks={marks} />
          )
        );
      })}
      {lists.data === undefined ? (
        <div className={classes.lists}>
          <span className={textStyles.small}>{t(may ? 'accounts.readHelp' : 'accounts.needsOperator')}</span>
        </div>
      ) : (
        <>
          <AccountListsView lists={lists.data} />
          <p className={listStyles.note}>
            {t('accounts.readAt', { count: lists.data.calls })} · <Time at={lists.data.readAt} />
          </p>
        </>
      )}
    </Section>
  );
}
