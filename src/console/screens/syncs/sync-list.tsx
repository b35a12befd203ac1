// All syncs with their state, their last run and their next one.
import { Button } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { usePages } from '../../api/use-call.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { Page, Section } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { None, Time } from '../../parts/values.tsx';
import { BADGE_OF, type SyncEntry } from './data.ts';
import { Outcomes } from './run/outcomes.tsx';

const EVERY_MS = 10_000;

export function SyncList() {
  const { t } = useTranslation('syncs');
  const [, change] = useUrlState();
  const mayWrite = useMay('editor');
  const syncs = usePages('GET /syncs', { limit: 100 }, 'syncs', { cursor: 'after', everyMs: EVERY_MS });
  const columns = useMemo<readonly Column<SyncEntry>[]>(
    () => [
      { id: 'sync', header: t('list.sync'), width: 'minmax(9rem, 1.2fr)', cell: ({ sync }) => sync },
      {
        id: 'account',
        header: t('list.account'),
        width: 'minmax(6rem, 1fr)',
        cell: ({ account }) => account,
      },
      {
        id: 'state',
        header: t('list.state'),
        width: '9rem',
        cell: ({ state }) => <Status of={BADGE_OF[state]} label={t(`state.${state}`)} />,
      },
      {
        id: 'last',
        header: t('list.last'),
        width: '8rem',
        cell: ({ last }) => (last === null ? t('list.never') : <Time at={last.startedAt} />),
      },
      {
        id: 'result',
        header: t('list.result'),
        width: 'minmax(14rem, 2fr)',
        cell: ({ last }) => (last === null ? <None /> : <Outcomes run={last} />),
      },
      { id: 'next', header: t('list.next'), width: '8rem', cell: ({ schedule }) => <Next of={schedule} /> },
    ],
    [t],
  );
  const running = syncs.rows.filter(({ state }) => state === 'running' || state === 'paused');
  const first = mayWrite && (
    <Button
      leftSection={<IconFileUpload size={14} aria-hidden />}
      onClick={() => change({ view: 'first' }, { replace: false })}
    >
      {t('list.first')}
    </Button>
  );
  return (
    <Page
      title={t('title')}
      lead={
        running.length === 0
          ? t('lead.idle')
          : t('lead.running', { names: running.map(({ sync }) => sync).join(', ') })
      }
      actions={first}
    >
      <Section title={t('list.label')} flush>
        <DataTable
          label={t('list.label')}
          pages={syncs}
          columns={columns}
          rowId={({ sync }) => sync}
          onOpen={({ sync }) => change({ name: sync }, { replace: false })}
          empty={{ title: t('list.none'), text: t('list.noneText') }}
        />
      </Section>
    </Page>
  );
}

function Next({ of }: { readonly of: SyncEntry['schedule'] }) {
  const { t } = useTranslation('syncs');
  if (of === null) return t('list.manual');
  if (of.paused === true) return <Status of="paused" label={t('list.schedulePaused')} />;
  return of.next === null ? of.cron.join(', ') : <Time at={of.next} />;
}
