// Who did what: every command, login and reveal, with filters, in pages.
import { useTranslation } from 'react-i18next';
import type { AuditLine } from '../../../operator/contract/identity.ts';
import type { Input } from '../../api/client.ts';
import { usePages } from '../../api/use-call.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { dayStart } from '../../format/day-start.ts';
import { useFormat } from '../../format/use-format.ts';
import { useZone } from '../../format/zone.tsx';
import { Section } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ChoiceFilter, DayFilter, Filters, TextFilter } from '../../parts/table/filters.tsx';
import { timeColumn } from '../../parts/table/makers.tsx';
import textStyles from '../../parts/text.module.css';
import { None } from '../../parts/values.tsx';

const OUTCOMES = ['ok', 'denied', 'failed', 'started'] as const;
type Outcome = (typeof OUTCOMES)[number];

const STATUS_OF: Readonly<Record<Outcome, string>> = {
  ok: 'ok',
  denied: 'blocked',
  failed: 'failed',
  started: 'running',
};

export function Audit() {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const lines = usePages('GET /audit', useFilter(), 'lines', { topics: ['audit'] });
  return (
    <Section title={t('audit.title')} about={t('audit.about', { zone: format.zoneName })} flush>
      <Filters pages={lines}>
        <TextFilter param="identity" label={t('audit.identity')} />
        <TextFilter param="action" label={t('audit.action')} />
        <TextFilter param="target" label={t('audit.target')} />
        <ChoiceFilter
          param="outcome"
          label={t('audit.outcome')}
          options={OUTCOMES.map((value) => ({ value, label: t(`audit.is.${value}`) }))}
        />
        <DayFilter param="from" label={t('audit.from')} />
        <DayFilter param="to" label={t('audit.to')} />
      </Filters>
      <DataTable
        label={t('audit.title')}
        pages={lines}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        empty={{ title: t('audit.none'), text: t('audit.noneText') }}
      />
    </Section>
  );
}

/** The filters of the address, as the server takes them. */
function useFilter(): Input<'GET /audit'> {
  const [{ identity, action, target, outcome, from, to }] = useUrlState();
  const { name: zone } = useZone();
  const given = {
    identity,
    action,
    target,
    outcome: OUTCOMES.find((each) => each === outcome),
    from: dayStart(from, zone, 0),
    // The last day belongs to it.
    to: dayStart(to, zone, 1),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function useColumns(): readonly Column<AuditLine>[] {
  const { t } = useTranslation('settings');
  const rest = useRest();
  return [
    timeColumn('at', t('audit.at'), { width: '10rem', as: 'moment' }),
    {
      id: 'who',
      header: t('audit.who'),
      width: 'minmax(9rem, 1fr)',
      cell: ({ identity, name, via }) => (
        <span>
          {name ?? identity ?? t('audit.nobody')}{' '}
          <span className={textStyles.small}>
            {[name === null ? null : identity, viaWord(via)].filter((text) => text !== null).join(' · ')}
          </span>
        </span>
      ),
    },
    {
      id: 'action',
      header: t('audit.action'),
      width: 'minmax(11rem, 2fr)',
      cell: (line) => <What line={line} />,
    },
    {
      id: 'details',
      header: t('audit.details'),
      width: 'minmax(8rem, 1fr)',
      cell: (line) =>
        rest(line).length === 0 ? (
          <None />
        ) : (
          <span className={textStyles.small}>
            {rest(line)
              .map(([name, value]) => `${name}: ${textOf(value)}`)
              .join(' · ')}
          </span>
        ),
    },
    {
      id: 'outcome',
      header: t('audit.outcome'),
      width: '7rem',
      cell: ({ outcome }) => <Status of={STATUS_OF[outcome]} label={t(`audit.is.${outcome}`)} />,
    },
  ];

  function viaWord(via: string | null): string | null {
    if (via === 'session' || via === 'token' || via === 'socket' || via === 'local')
      return t(`audit.via.${via}`);
    return via;
  }
}

/** What was done, in words. The route stands in the title, and alone where there are no words for it. */
function What({ line }: { readonly line: AuditLine }) {
  const { t } = useTranslation('audit');
  const words: Readonly<Record<string, string>> = t('did', { returnObjects: true });
  const { action, target, details } = line;
  const sentence = Object.hasOwn(words, action) ? words[action] : undefined;
  const route = target.startsWith('/') ? `${action.split(' ')[0]} ${target}` : `${action} ${target}`;
  if (sentence === undefined) return <code>{route}</code>;
  return (
    <span title={route}>
      {fill(sentence, { ...namesIn(action, target), ...details, target }, t('noLimit'))}
    </span>
  );
}

/** The details that the sentence of the line does not show, in words where there are some. */
function useRest(): (line: AuditLine) => [string, unknown][] {
  const { t } = useTranslation('audit');
  const words: Readonly<Record<string, string>> = t('did', { returnObjects: true });
  const names: Readonly<Record<string, string>> = t('detail', { returnObjects: true });
  return ({ action, details }) =>
    Object.entries(details)
      .filter(([name]) => !words[action]?.includes(`{{${name}}}`))
      .map(([name, value]) => [Object.hasOwn(names, name) ? (names[name] as string) : name, value]);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const isPlainList = Array.isArray(value) && value.every((each) => typeof each !== 'object');
  return isPlainList ? value.join(', ') : JSON.stringify(value);
}

/** The parameters of the route, as the target has them. */
function namesIn(action: string, target: string): Record<string, string> {
  const [, path = ''] = action.split(' ');
  const values = target.split('/');
  return Object.fromEntries(
    path.split('/').flatMap((part, place) => {
      const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
      return name === undefined ? [] : [[name, values[place] ?? '']];
    }),
  );
}

function fill(sentence: string, values: Readonly<Record<string, unknown>>, none: string): string {
  return sentence.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? none));
}
