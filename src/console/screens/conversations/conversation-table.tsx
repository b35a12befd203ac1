// Conversations, the one that changed last first. A row opens its messages and the answer form.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useCall, usePages } from '../../api/use-call.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { Section } from '../../parts/page.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ChoiceFilter, Filters, ValueFilter } from '../../parts/table/filters.tsx';
import { timeColumn } from '../../parts/table/makers.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import { ConversationPanel } from './conversation-panel.tsx';

type Conversation = Output<'GET /conversations'>['conversations'][number];

const STATUSES = ['open', 'pending', 'closed'] as const;

export function ConversationTable() {
  const { t } = useTranslation('conversations');
  const [{ account, status, conversation, waiting }, change] = useUrlState();
  const filter = { account, status, waiting: waiting === 'yes' };
  const pages = usePages('GET /conversations', filter, 'conversations');
  const accounts = useCall('GET /accounts', {});
  const isKnown = (name: string): name is (typeof STATUSES)[number] => STATUSES.includes(name as 'open');
  const columns: readonly Column<Conversation>[] = [
    {
      id: 'contact',
      header: t('recent.contact'),
      cell: ({ name, number, contactId }) => name ?? number ?? t('recent.nobody', { id: contactId }),
      width: 'minmax(8rem, 1.5fr)',
    },
    { id: 'number', header: t('recent.number'), cell: ({ number }) => number ?? '–', width: '9.5rem' },
    {
      id: 'status',
      header: t('recent.status'),
      cell: (row) => (isKnown(row.status) ? t(`recent.state.${row.status}`) : row.status),
      width: '6rem',
    },
    {
      id: 'served',
      header: t('recent.served'),
      cell: ({ userId, chatbot }) =>
        chatbot
          ? t('recent.chatbot')
          : userId === null
            ? t('recent.unserved')
            : t('recent.user', { id: userId }),
      width: 'minmax(6.5rem, 1fr)',
    },
    {
      id: 'connection',
      header: t('recent.connection'),
      cell: ({ account: of, connection, channel }) => (
        <span className={textStyles.cut}>{`${of} · ${connection.name} (${channel})`}</span>
      ),
      width: 'minmax(8rem, 1.5fr)',
      wideOnly: true,
    },
    timeColumn('inboundAt', t('recent.inbound'), { width: '7rem', wideOnly: true }),
    {
      id: 'waiting',
      header: t('recent.waiting'),
      cell: ({ waitingSince }) => (waitingSince === null ? '–' : <Time at={waitingSince} />),
      width: '8rem',
    },
    timeColumn('updatedAt', t('recent.updated'), { width: '7rem' }),
  ];
  // Other screens give the account beside the number.
  const open = /^\d+$/.test(conversation ?? '') ? `${account ?? ''}/${conversation}` : conversation;
  const [, openAccount = '', openId = ''] = /^(.+)\/(\d+)$/.exec(open ?? '') ?? [];
  return (
    <Section title={t('recent.title')} about={t('recent.about')} flush>
      <Filters pages={pages}>
        <ChoiceFilter
          param="status"
          label={t('recent.status')}
          options={STATUSES.map((value) => ({ value, label: t(`recent.state.${value}`) }))}
        />
        <ChoiceFilter
          param="waiting"
          label={t('recent.waiting')}
          options={[{ value: 'yes', label: t('recent.waitingOnly') }]}
        />
        <ValueFilter
          param="account"
          label={t('recent.account')}
          values={accounts.data?.accounts.map((each) => each.account) ?? []}
        />
      </Filters>
      <DataTable
        label={t('recent.title')}
        pages={pages}
        columns={columns}
        rowId={({ account: of, id }) => `${of}/${id}`}
        openId={open ?? null}
        onOpen={({ account: of, id }) => change({ conversation: `${of}/${id}` }, { replace: false })}
        empty={{ title: t('recent.none'), text: t('recent.noneText') }}
      />
      <ConversationPanel
        key={conversation}
        account={openAccount}
        conversation={Number(openId)}
        isOpen={openId !== ''}
        onClose={() => change({ conversation: null })}
      />
    </Section>
  );
}
