// Requests of authenticated senders that no route could take: by page, with replay and discard.
import { Button, Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useMay } from '../../api/session.tsx';
import { usePages } from '../../api/use-call.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { Section } from '../../parts/page.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Filters, ValueFilter } from '../../parts/table/filters.tsx';
import { countColumn, timeColumn } from '../../parts/table/makers.tsx';
import { BulkButtons, openIds } from './bulk-buttons.tsx';
import { reasonColumn } from './refusal-reason.tsx';
import { RefusedRequestPanel } from './refused-request-panel.tsx';
import { useRefusedCommands } from './use-refused-commands.ts';

type Request = Output<'GET /refused-requests'>['requests'][number];

const EVERY_MS = 15_000;

export function RefusedRequests() {
  const { t } = useTranslation('events');
  const may = useMay('operator');
  const [{ route, code, resolved, request, view }, change] = useUrlState();
  const [drafts, setDrafts] = useState<ReadonlyMap<string, string>>(new Map());
  const filter = { route, codes: code === undefined ? undefined : [code] };
  const input = { ...filter, resolved: resolved === 'all' };
  const pages = usePages('GET /refused-requests', input, 'requests', { everyMs: EVERY_MS });
  const { replay, isReplaying } = useRefusedCommands({});
  const columns: readonly Column<Request>[] = [
    { id: 'code', header: t('refusals.code'), cell: (row) => row.code, width: 'minmax(8rem, 1fr)' },
    { id: 'route', header: t('events.route'), cell: (row) => row.route, width: 'minmax(8rem, 1fr)' },
    reasonColumn(t('refusals.reason')),
    countColumn('count', t('refusals.count'), { width: '6rem' }),
    ...(resolved === 'all'
      ? [
          {
            id: 'state',
            header: t('events.state'),
            cell: ({ resolution }: Request) => t(`refused.state.${resolution?.how ?? 'open'}`),
            width: '7rem',
          },
        ]
      : []),
    timeColumn('firstAt', t('refused.first'), { width: '8rem', wideOnly: true }),
    timeColumn('lastAt', t('refused.last'), { width: '8rem' }),
  ];
  const { counts = [], total = 0 } = pages.first ?? {};
  // A link to correct what is open leads to the request itself where it is the only one.
  const [only] = pages.rows;
  const openId = request ?? (view === 'correct' && total === 1 ? only?.id : undefined);
  const isFiltered = route !== undefined || code !== undefined;
  return (
    <Section
      title={t('refused.title')}
      about={t('refused.about')}
      actions={
        may &&
        resolved !== 'all' &&
        total > 0 && (
          <Button
            variant="default"
            size="compact-sm"
            loading={isReplaying}
            onClick={() => void replay(filter, total)}
          >
            {t('refused.replayAll', { count: total })}
          </Button>
        )
      }
      flush
    >
      <Filters pages={pages}>
        <ValueFilter param="route" label={t('events.route')} values={counts.map((each) => each.route)} />
        <ValueFilter
          param="code"
          label={t('events.code')}
          values={counts
            .filter((each) => route === undefined || each.route === route)
            .map((each) => each.code)}
        />
        <Checkbox
          size="xs"
          label={t('refused.withResolved')}
          checked={resolved === 'all'}
          onChange={(event) => change({ resolved: event.currentTarget.checked ? 'all' : null })}
        />
      </Filters>
      <DataTable
        label={t('refused.title')}
        pages={pages}
        columns={columns}
        rowId={({ id }) => id}
        openId={openId ?? null}
        onOpen={({ id }) => change({ request: id, view: null }, { replace: false })}
        empty={{
          title: t(isFiltered ? 'refused.noMatch' : 'refused.none'),
          text: (
            <>
              {t('refused.noneText')}{' '}
              <Link to="/events" search={{ tab: 'refusals', route } as never}>
                {t('refused.toRefusals')}
              </Link>
            </>
          ),
        }}
        bulk={may ? (rows, clear) => <Bulk rows={rows} clear={clear} /> : undefined}
      />
      <RefusedRequestPanel
        key={openId}
        id={openId ?? ''}
        draft={drafts.get(openId ?? '') ?? null}
        onDraft={(text) => setDrafts((before) => new Map(before).set(openId ?? '', text))}
        onClose={() => change({ request: null, view: null })}
      />
    </Section>
  );
}

function Bulk({ rows, clear }: { readonly rows: readonly Request[]; clear(): void }) {
  const { t } = useTranslation('events');
  const { replay, ...commands } = useRefusedCommands({ onReplayed: clear, onDiscarded: clear });
  return (
    <BulkButtons
      {...commands}
      ids={openIds(rows)}
      words={{ replay: t('refused.replay'), discard: t('refused.discard') }}
      replay={(ids) => replay({ ids }, ids.length)}
    />
  );
}
