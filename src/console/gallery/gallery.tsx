// Each shared part once, with long and hostile values.
import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { useUrlValue } from '../app/use-url-state.ts';
import { HeatMap } from '../parts/charts/heat-map.tsx';
import { TimeChart } from '../parts/charts/index.tsx';
import { useConfirm } from '../parts/confirm.tsx';
import { Diff } from '../parts/diff/diff.tsx';
import { Columns, Facts, Page, Section } from '../parts/page.tsx';
import { RunProgress } from '../parts/progress.tsx';
import { Masked } from '../parts/reveal/masked.tsx';
import { EmptyState, ErrorState, LoadingLines } from '../parts/states.tsx';
import { Chip, Status } from '../parts/status.tsx';
import type { Column } from '../parts/table/columns.ts';
import { DataTable } from '../parts/table/data-table.tsx';
import { ChoiceFilter, Filters, TextFilter, ValueFilter } from '../parts/table/filters.tsx';
import { timeColumn } from '../parts/table/makers.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { Count, Duration, Rate, Share, Time } from '../parts/values.tsx';

const MEMBERS = 100_000;
const PAGE = 1000;
const STATES = ['delivered', 'failed', 'unknown', 'skipped'] as const;
const START = Date.UTC(2026, 10, 23, 11);

interface Member {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly wave: number;
  readonly at: string;
}

const memberOf = (index: number): Member => ({
  id: `m${index}`,
  name: index === 3 ? '<script>alert(1)</script> Maria da Conceição de Albuquerque' : `Person ${index}`,
  state: STATES[index % STATES.length] ?? 'failed',
  wave: 1 + Math.floor(index / 5000),
  at: new Date(START - index * 1000).toISOString(),
});

const COLUMNS: readonly Column<Member>[] = [
  { id: 'name', header: 'Member', cell: ({ name }) => name, width: 'minmax(12rem, 2fr)', sortable: true },
  { id: 'state', header: 'State', cell: ({ state }) => <Status of={state} />, width: '9rem' },
  { id: 'wave', header: 'Wave', cell: ({ wave }) => wave, align: 'end', width: '5rem', sortable: true },
  timeColumn('at', 'Since', { width: '10rem', wideOnly: true, as: 'moment' }),
];

/** As `usePages` gives it, with pages that are made here. */
function useMembers() {
  const [loaded, setLoaded] = useState(PAGE);
  const [members] = useState(() => Array.from({ length: MEMBERS }, (_, index) => memberOf(index)));
  return {
    rows: members.slice(0, loaded),
    isLoading: false,
    isRefreshing: false,
    isOutdated: loaded > 6 * PAGE,
    isLoadingMore: false,
    hasMore: loaded < MEMBERS,
    loadMore: () => setLoaded(Math.min(MEMBERS, loaded + 33 * PAGE)),
    error: null,
    retry: () => undefined,
    restart: () => setLoaded(PAGE),
  };
}

const TIMES = Array.from({ length: 48 }, (_, hour) => new Date(START + hour * 3_600_000).toISOString());
const BURN_DOWN = [
  { name: 'Latest plan', color: 3, values: TIMES.map((_, hour) => Math.max(0, 100_000 - hour * 2100)) },
  { name: 'Earliest plan', color: 2, values: TIMES.map((_, hour) => Math.max(0, 100_000 - hour * 3000)) },
  { name: 'Left', color: 1, values: TIMES.map((_, hour) => (hour < 20 ? 100_000 - hour * 2500 : null)) },
] as const;
const REPLIES = Array.from({ length: 7 }, (_, day) =>
  Array.from({ length: 24 }, (_, hour) => (hour > 7 && hour < 21 ? (hour * 7 + day * 13) % 60 : 0)),
);

export function Gallery() {
  const [openId, setOpen] = useUrlValue<string>('row', '');
  const members = useMembers();
  return (
    <Page title="Parts of the console" lead="Every shared part, once." trail={['Campaigns', 'spring']}>
      <Columns
        main={
          <>
            <Section title="DataTable" flush>
              <Filters>
                <ChoiceFilter
                  param="state"
                  label="State"
                  options={STATES.map((value) => ({ value, label: value }))}
                />
                <ValueFilter param="wave" label="Wave" values={['10', '2', null]} />
                <TextFilter param="code" label="Code" />
              </Filters>
              <DataTable
                label="Members"
                pages={members}
                columns={COLUMNS}
                rowId={({ id }) => id}
                empty={{ title: 'No members' }}
                openId={openId}
                onOpen={({ id }) => setOpen(id)}
                sort={{ param: 'sort', fallback: '-at' }}
                bulk={(rows, clear) => (
                  <Button variant="default" onClick={clear}>
                    Retry {rows.length}
                  </Button>
                )}
              />
            </Section>
            <Section title="Burn-down">
              <TimeChart label="Members left" times={TIMES} series={BURN_DOWN} band={[0, 1]} />
            </Section>
            <Section title="Heat map">
              <HeatMap label="Replies by hour and weekday" values={REPLIES} unit="replies" />
            </Section>
            <Section title="Diff">
              <Diff label="What changes" changes={DIFF} />
            </Section>
          </>
        }
        side={<Side />}
      />
    </Page>
  );
}

const DIFF = [
  { field: 'name', before: 'Bia', after: 'Beatriz' },
  { field: 'email', before: null, after: 'b•••@example.com' },
  { field: 'stage', before: 'New', after: 'New' },
] as const;

function Side() {
  const confirm = useConfirm();
  const [reason, setReason] = useState('');
  const ask = async () => {
    const answer = await confirm({
      title: 'Cancel the campaign “spring”?',
      effects: '61,240 members get no message. Messages that were sent stay sent.',
      verb: 'Cancel campaign',
      dangerous: true,
      reason: 'required',
    });
    setReason(answer?.reason ?? 'kept');
  };
  return (
    <>
      <Section title="Progress">
        <Stack gap="md">
          <RunProgress
            label="Members"
            done={38_760}
            total={100_000}
            range={[TIMES[3] ?? '', TIMES[9] ?? '']}
            parts={[
              { name: 'delivered', count: 36_000, tone: 'good' },
              { name: 'unknown', count: 760, tone: 'warn' },
              { name: 'failed', count: 2000, tone: 'bad' },
            ]}
          />
          <RunProgress label="Paused" done={400} total={1000} isPaused />
          <RunProgress label="Planning" done={4321} total={null} />
        </Stack>
      </Section>
      <Section title="Values">
        <Facts
          facts={[
            ['Number', <Masked key="n" value="+55 11 9••••-5601" what="phone number" reveal={reveal} />],
            ['Count', <Count key="c" of={1_234_567} />],
            ['Duration', <Duration key="d" seconds={93_784} />],
            ['Rate', <Rate key="r" perMinute={41} />],
            ['Share', <Share key="s" of={0.034} />],
            ['Time', <Time key="t" at={TIMES[0] ?? null} />],
            ['Nothing', <Time key="0" at={null} />],
          ]}
        />
      </Section>
      <Section title="Status">
        <Group gap="sm">
          {['ok', 'running', 'paused', 'blocked', 'unknown', 'failed', 'cancelled', 'new in the server'].map(
            (name) => (
              <Status key={name} of={name} />
            ),
          )}
          <Chip tone="bad">3</Chip>
          <Chip tone="warn">12</Chip>
        </Group>
      </Section>
      <Section title="Timeline">
        <Timeline label="What happened" entries={ENTRIES} />
      </Section>
      <Section title="Confirm" actions={<Button onClick={() => void ask()}>Cancel campaign</Button>}>
        <output>{reason}</output>
      </Section>
      <Section title="States" flush>
        <EmptyState
          title="No syncs yet"
          text="Upload a CSV to create the first one."
          action={<Button>New sync</Button>}
        />
        <ErrorState error={new Error('the ledger does not answer')} onRetry={() => undefined} />
        <LoadingLines />
      </Section>
    </>
  );
}

const reveal = () => Promise.resolve('+55 11 91234-5601');

const ENTRIES = [
  { id: '1', at: TIMES[2] ?? '', title: 'Message delivered', tone: 'good' },
  {
    id: '2',
    at: TIMES[1] ?? '',
    title: 'Waited 12 s for the budget',
    details: 'lane campaign',
    tone: 'info',
  },
  { id: '3', at: TIMES[0] ?? '', title: 'Left out of spring', details: 'opted out on 12 Nov', tone: 'warn' },
] as const;
