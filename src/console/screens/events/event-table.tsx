// Recent events with their outcome. A row opens its history.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCall, usePages } from '../../api/use-call.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { useRouteName } from '../../format/use-route-name.ts';
import { Section } from '../../parts/page.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ChoiceFilter, Filters, ValueFilter } from '../../parts/table/filters.tsx';
import { timeColumn } from '../../parts/table/makers.tsx';
import { None } from '../../parts/values.tsx';
import { EventPanel } from './event-panel.tsx';
import { ResolveEvents } from './resolve-events.tsx';
import { EVENT_STATES, type EventRow, EventStatus, isEventState } from './state.tsx';
import { useRetry } from './use-retry.ts';

export function EventTable() {
  const { t } = useTranslation('events');
  const may = useMay('operator');
  const routeName = useRouteName();
  const [{ state, name, route = name, account, code, event }, change] = useUrlState();
  const input = {
    states: isEventState(state) ? [state] : undefined,
    route,
    account,
    codes: code === undefined ? undefined : [code],
  };
  // Personal data: in memory only, and gone with the page.
  const [drafts, setDrafts] = useState<ReadonlyMap<string, string>>(new Map());
  const pages = usePages('GET /events', input, 'events');
  const known = useCall('GET /event-values', {});
  const accounts = useCall('GET /accounts', {});
  const columns: readonly Column<EventRow>[] = [
    {
      id: 'route',
      header: t('events.route'),
      cell: (row) => routeName(row.route),
      width: 'minmax(9rem, 1.5fr)',
    },
    { id: 'action', header: t('events.action'), cell: ({ action }) => t(`action.${action}`), width: '8rem' },
    { id: 'state', header: t('events.state'), cell: (row) => <EventStatus event={row} />, width: '9rem' },
    {
      id: 'why',
      header: t('events.why'),
      cell: ({ blocked, code: own, reason }) => {
        const why = blocked ?? (own === null ? null : { code: own, reason });
        return why === null ? <None /> : <Reason code={why.code} reason={why.reason ?? null} />;
      },
      width: 'minmax(12rem, 3fr)',
    },
    {
      id: 'account',
      header: t('events.account'),
      cell: (row) => row.account,
      width: 'minmax(6rem, 1fr)',
      wideOnly: true,
    },
    timeColumn('receivedAt', t('events.received'), { width: '8rem' }),
  ];
  return (
    <Section title={t('events.title')} about={t('events.about')} flush>
      <Filters pages={pages}>
        <ChoiceFilter
          param="state"
          label={t('events.state')}
          options={EVENT_STATES.map((value) => ({ value, label: t(`state.${value}`) }))}
        />
        <ValueFilter
          param="route"
          label={t('events.route')}
          values={known.data?.routes ?? []}
          wordOf={routeName}
        />
        <ValueFilter
          param="account"
          label={t('events.account')}
          values={accounts.data?.accounts.map((each) => each.account) ?? []}
        />
        <ValueFilter param="code" label={t('events.code')} values={known.data?.codes ?? []} />
      </Filters>
      <DataTable
        label={t('events.title')}
        pages={pages}
        columns={columns}
        rowId={({ id }) => id}
        openId={event ?? null}
        onOpen={({ id }) => change({ event: id }, { replace: false })}
        empty={
          [state, route, account, code].some((value) => value !== undefined)
            ? { title: t('events.noMatch'), text: t('events.noMatchText') }
            : { title: t('events.none'), text: t('events.noneText') }
        }
        bulk={may ? (rows, clear) => <Bulk rows={rows} clear={clear} /> : undefined}
      />
      <EventPanel
        key={event}
        event={event ?? ''}
        draft={drafts.get(event ?? '') ?? null}
        onDraft={(text) => setDrafts((known) => new Map(known).set(event ?? '', text))}
        onOpen={(id) => change({ event: id }, { replace: false })}
        onClose={() => change({ event: null })}
      />
    </Section>
  );
}

function Bulk({ rows, clear }: { readonly rows: readonly EventRow[]; clear(): void }) {
  const { t } = useTranslation('events');
  const retry = useRetry(clear);
  return (
    <>
      <ResolveEvents rows={rows} clear={clear} />
      <Button size="compact-sm" loading={retry.isPending} onClick={() => retry.ask(rows)}>
        {t('retry.verb')}
      </Button>
    </>
  );
}
