// Periods and conversations in which messages may be missing.

import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { usePages } from '../../api/use-call.ts';
import { Section } from '../../parts/page.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { countColumn, timeColumn } from '../../parts/table/makers.tsx';

type Gap = Output<'GET /gaps'>['gaps'][number];

export function GapTable() {
  const { t } = useTranslation('conversations');
  const pages = usePages('GET /gaps', {}, 'gaps', { topics: ['conversations'] });
  const columns: readonly Column<Gap>[] = [
    {
      id: 'where',
      header: t('gaps.where'),
      cell: ({ conversation }) =>
        conversation === null ? t('gaps.list') : t('gaps.conversation', { id: conversation }),
      width: 'minmax(9rem, 1fr)',
    },
    { id: 'poller', header: t('gaps.poller'), cell: ({ account, poller }) => `${account}/${poller}` },
    {
      id: 'why',
      header: t('gaps.why'),
      cell: ({ code, reason }) => <Reason code={code} reason={reason} />,
      width: 'minmax(14rem, 3fr)',
    },
    countColumn('seen', t('gaps.seen'), { width: '5rem', wideOnly: true }),
    timeColumn('at', t('gaps.at'), { width: '9rem' }),
  ];
  return (
    <Section title={t('gaps.title')} about={t('gaps.about')} flush>
      <DataTable
        label={t('gaps.title')}
        pages={pages}
        columns={columns}
        rowId={({ id }) => String(id)}
        empty={{ title: t('gaps.none'), text: t('gaps.noneText') }}
      />
    </Section>
  );
}
