// Which campaigns there are, what runs, and what waits for somebody.
import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { Page, Section } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Count, Share, Time } from '../../parts/values.tsx';
import { type Campaign, STATUS_OF, stateOf, TOPICS } from './data.ts';
import { Editor } from './editor.tsx';
import { useSpending } from './use-spending.ts';

const EVERY_MS = 15_000;
/** Newest runs that are searched for deleted campaigns. */
const RUNS = 200;

export function CampaignList() {
  const { t } = useTranslation('campaigns');
  const [url, setUrl] = useUrlState();
  const may = useMay('editor');
  const list = useCall('GET /campaigns', {}, { everyMs: EVERY_MS });
  const shareOf = useSpending();
  const columns: readonly Column<Campaign>[] = [
    {
      id: 'campaign',
      header: t('list.campaign'),
      width: 'minmax(10rem, 2fr)',
      cell: ({ campaign }) => campaign,
    },
    { id: 'account', header: t('list.account'), width: 'minmax(6rem, 1fr)', cell: ({ account }) => account },
    {
      id: 'state',
      header: t('list.state'),
      width: 'minmax(10.5rem, 1.5fr)',
      cell: ({ newest, isStale }) => {
        const state = stateOf(newest);
        return <Status of={STATUS_OF[state]} label={isStale ? t('list.stale') : t(`state.${state}`)} />;
      },
    },
    {
      id: 'reached',
      header: t('list.reached'),
      align: 'end',
      width: '6.5rem',
      cell: ({ newest }) => <Count of={newest === null ? null : newest.total.triggered} />,
    },
    {
      id: 'replied',
      header: t('list.replied'),
      align: 'end',
      width: '6.5rem',
      cell: ({ newest }) => <Count of={newest?.replies === 'known' ? newest.total.replied : null} />,
    },
    {
      id: 'calls',
      header: t('list.calls'),
      align: 'end',
      width: '5.5rem',
      cell: ({ newest }) => <Count of={newest?.calls ?? null} />,
    },
    {
      id: 'share',
      header: t('list.share'),
      align: 'end',
      width: '7rem',
      cell: (row) => <Share of={shareOf(row)} />,
    },
    {
      id: 'next',
      header: t('list.next'),
      width: 'minmax(8rem, 1fr)',
      cell: ({ schedule }) =>
        schedule?.paused === true ? <Status of="paused" /> : <Time at={schedule?.nextAt ?? null} />,
    },
  ];
  return (
    <Page
      title={t('title')}
      lead={list.data && <Lead campaigns={list.data.campaigns} />}
      actions={
        may && (
          <Button onClick={() => setUrl({ new: 'yes', copy: null }, { replace: false })}>
            {t('list.new')}
          </Button>
        )
      }
    >
      {may && url.new !== undefined && <Editor campaign={null} copyOf={url.copy} />}
      <Section title={t('list.label')} flush>
        <Loaded of={list}>
          {({ campaigns }) => (
            <DataTable
              label={t('list.label')}
              columns={columns}
              rowId={({ campaign }) => campaign}
              onOpen={({ campaign }) => setUrl({ campaign }, { replace: false })}
              empty={{ title: t('list.empty'), text: t('list.emptyText') }}
              pages={{
                rows: campaigns,
                isLoading: false,
                isRefreshing: false,
                isOutdated: false,
                isLoadingMore: false,
                hasMore: false,
                loadMore: () => undefined,
                error: null,
                retry: () => void list.refetch(),
                restart: () => void list.refetch(),
              }}
            />
          )}
        </Loaded>
      </Section>
      {list.data && <Archive configured={list.data.campaigns} />}
    </Page>
  );
}

/** Campaigns that were deleted from the configuration, by their runs. */
function Archive({ configured }: { readonly configured: readonly Campaign[] }) {
  const { t } = useTranslation('campaigns');
  const [, setUrl] = useUrlState();
  const runs = useCall('GET /campaign-runs', { limit: RUNS }, { topics: TOPICS });
  const names = [...new Set((runs.data?.runs ?? []).map(({ campaign }) => campaign))].filter(
    (name) => !configured.some(({ campaign }) => campaign === name),
  );
  if (names.length === 0) return null;
  return (
    <Section title={t('list.archive')} about={t('list.archiveAbout', { runs: RUNS })}>
      <Group gap="xs">
        {names.map((campaign) => (
          <Button
            key={campaign}
            size="xs"
            variant="default"
            onClick={() => setUrl({ campaign }, { replace: false })}
          >
            {campaign}
          </Button>
        ))}
      </Group>
    </Section>
  );
}

function Lead({ campaigns }: { readonly campaigns: readonly Campaign[] }) {
  const { t } = useTranslation('campaigns');
  const states = campaigns.map(({ newest }) => stateOf(newest));
  const running = campaigns.filter(({ newest }) => newest?.state === 'running').length;
  const approval = states.filter((state) => state === 'approval').length;
  return [
    running === 0 ? t('lead.none') : t('lead.running', { count: running }),
    ...(approval === 0 ? [] : [t('lead.approval', { count: approval })]),
  ].join(' ');
}
