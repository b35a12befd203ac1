// Members of a run: filters in the address, a search whose text is not, masked numbers.
import { Anchor, Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MEMBER_COLUMNS } from '../../../jobs/campaigns/contract/member-columns.ts';
import { useClient, useMay } from '../../api/session.tsx';
import { usePages } from '../../api/use-call.ts';
import { useCodeWords } from '../../app/code-words.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { Section } from '../../parts/page.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { Masked } from '../../parts/reveal/masked.tsx';
import { Status } from '../../parts/status.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { CsvButton } from '../../parts/table/csv-button.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ChoiceFilter, Filters, ValueFilter } from '../../parts/table/filters.tsx';
import { countColumn, timeColumn } from '../../parts/table/makers.tsx';
import textStyles from '../../parts/text.module.css';
import { type Member, type Report, TOPICS } from './data.ts';
import { isPassing } from './passing.ts';
import { useResolve } from './use-resolve.tsx';

const STATES = [
  'waiting',
  'sending',
  'triggered',
  'skipped',
  'failed',
  'unknown',
  'cancelled',
  'excluded',
  'holdout',
  'found',
] as const;

const STATUS = {
  found: 'pending',
  excluded: 'skipped',
  holdout: 'off',
  waiting: 'waiting',
  sending: 'running',
  triggered: 'done',
  skipped: 'skipped',
  failed: 'failed',
  unknown: 'unknown',
  cancelled: 'cancelled',
} as const satisfies Record<Member['state'], string>;

const PAGE = 200;
const CSV_PAGE = 2000;
/** Those of `sluice campaign export --members`, and masked who it is about. */
const CSV_COLUMNS = [
  ...MEMBER_COLUMNS,
  'number',
  'name',
  'email',
] as const satisfies readonly (keyof Member)[];

interface MembersProps {
  readonly report: Report;
}

export function Members({ report }: MembersProps) {
  const codeWords = useCodeWords();
  const { account, run, total } = report;
  const { t } = useTranslation('campaigns');
  const client = useClient();
  const may = useMay('operator');
  const [url] = useUrlState();
  // Personal data never stands in the address.
  const [text, setText] = useState('');
  const [search, setSearch] = useState('');
  const later = useDebouncedCallback(setSearch, 300);
  const wave = Number(url.wave);
  const state = STATES.find((each) => each === url.state);
  const filter = {
    campaign: run,
    search: search === '' ? undefined : search,
    states: state === undefined ? undefined : [state],
    codes: url.code === undefined ? undefined : [url.code],
    waves: Number.isInteger(wave) && wave > 0 ? [wave] : undefined,
  };
  const pages = usePages('POST /campaigns/{campaign}/members', { ...filter, limit: PAGE }, 'members', {
    cursor: 'after',
    topics: TOPICS,
  });
  const reveal = async (member: Member) => {
    const shown = await client.call('POST /campaigns/{campaign}/members', {
      campaign: run,
      after: member.member - 1,
      limit: 1,
      unmask: true,
    });
    const [found] = shown.members;
    return found === undefined ? '' : whoOf(found);
  };
  const codes = [total.excluded, total.skipped, total.failed].flatMap((counts) => Object.keys(counts));
  const waves = report.waves.map((each) => String(each.wave));
  const columns: readonly Column<Member>[] = [
    {
      id: 'member',
      header: t('members.member'),
      width: '6rem',
      cell: ({ member, person }) =>
        // Without a readable number it is no person.
        person === null ? (
          String(member)
        ) : (
          <Anchor
            component={Link}
            to={`/people/${encodeURIComponent(account)}/m${member}`}
            aria-label={t('members.person', { member })}
            inherit
          >
            {String(member)}
          </Anchor>
        ),
    },
    {
      id: 'number',
      header: t('members.number'),
      width: 'minmax(12rem, 1.5fr)',
      cell: (member) =>
        whoOf(member) === '' ? null : (
          <Masked
            key={member.member}
            value={whoOf(member)}
            what={t('members.what')}
            reveal={() => reveal(member)}
          />
        ),
    },
    {
      id: 'state',
      header: t('members.state'),
      width: 'minmax(8rem, 1fr)',
      cell: (member) => <Status of={STATUS[member.state]} label={t(`members.states.${member.state}`)} />,
    },
    {
      id: 'code',
      header: t('members.code'),
      width: 'minmax(12rem, 3fr)',
      cell: (member) => <Why member={member} />,
    },
    countColumn('wave', t('members.wave'), { width: '5rem' }),
    timeColumn('triggeredAt', t('members.triggered'), { width: 'minmax(10rem, 1fr)', as: 'moment' }),
    timeColumn('repliedAt', t('members.replied'), {
      width: 'minmax(10rem, 1fr)',
      wideOnly: true,
      as: 'moment',
    }),
  ];
  const csv = (
    <CsvButton
      name={`${run}-members.csv`}
      columns={CSV_COLUMNS}
      read={async (after?: number) => {
        const { members, next } = await client.call('POST /campaigns/{campaign}/members', {
          ...filter,
          limit: CSV_PAGE,
          after,
        });
        return { rows: members, next };
      }}
      cut={(saved) => t('members.csvCut', { rows: saved })}
    />
  );
  return (
    <Section title={t('members.label')} actions={csv} flush>
      <Filters pages={pages}>
        <TextInput
          size="xs"
          type="search"
          miw="16rem"
          aria-label={t('members.search')}
          placeholder={t('members.search')}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            later(event.currentTarget.value);
          }}
        />
        <ChoiceFilter
          param="state"
          label={t('members.state')}
          options={STATES.map((value) => ({ value, label: t(`members.states.${value}`) }))}
        />
        <ValueFilter
          param="code"
          label={t('members.code')}
          values={[...codes, ...pages.rows.map((each) => each.code)]}
          wordOf={(each) => codeWords(each) ?? each}
        />
        <ValueFilter param="wave" label={t('members.wave')} values={waves} />
      </Filters>
      <DataTable
        label={t('members.label')}
        pages={pages}
        columns={columns}
        rowId={({ member }) => String(member)}
        empty={{ title: t('members.empty'), text: t('members.emptyText') }}
        bulk={
          may && state === 'unknown'
            ? (rows, clear) => (
                <Decide run={run} canRepeat={report.state !== 'cancelled'} rows={rows} clear={clear} />
              )
            : undefined
        }
      />
    </Section>
  );
}

interface DecideProps {
  readonly run: string;
  /** Whether the run can trigger members again. */
  readonly canRepeat: boolean;
  readonly rows: readonly Member[];
  clear(): void;
}

/** What happened to chosen members whose outcome is unknown. */
function Decide({ run, canRepeat, rows, clear }: DecideProps) {
  const { choices, ask, isPending } = useResolve(run, canRepeat, clear);
  const members = rows.map(({ member }) => member);
  return choices.map((choice) => (
    <Button
      key={choice.verb}
      size="compact-sm"
      variant="default"
      loading={isPending}
      onClick={() => ask(choice, { members, count: members.length })}
    >
      {choice.verb}
    </Button>
  ));
}

/** Only members whose number cannot be read have a name and an address of their own. */
function whoOf({ number, name, email }: Member): string {
  return [number, name, email].filter((text) => text !== null).join(' · ');
}

/** Why the member got this state, and whether a retry of a failure can help. */
function Why({ member: { state, code, reason, params, changedConversation } }: { readonly member: Member }) {
  const { t } = useTranslation('campaigns');
  return (
    <div>
      {(code ?? reason) !== null && <Reason code={code} reason={reason} params={params} />}
      {changedConversation !== null && (
        <div>{t('members.changed', { conversation: changedConversation })}</div>
      )}
      {state === 'failed' && code !== null && (
        <div className={textStyles.small}>{t(isPassing(code) ? 'outcomes.passing' : 'outcomes.lasting')}</div>
      )}
    </div>
  );
}
