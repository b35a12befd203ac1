// What the ingress refused: by code over the last day, and one by one.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useCall, usePages } from '../../api/use-call.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { useFormat } from '../../format/use-format.ts';
import { Section } from '../../parts/page.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Filters, ValueFilter } from '../../parts/table/filters.tsx';
import { timeColumn } from '../../parts/table/makers.tsx';
import { Count, Time } from '../../parts/values.tsx';
import classes from './events.module.css';
import { reasonColumn } from './refusal-reason.tsx';

type Hour = Output<'GET /refusals/hours'>['hours'][number];
type Refusal = Output<'GET /refusals'>['refusals'][number];

const EVERY_MS = 15_000;

export function Refusals() {
  const { t } = useTranslation('events');
  const format = useFormat();
  const [{ route, code }] = useUrlState();
  const filter = { route, codes: code === undefined ? undefined : [code] };
  const hours = useCall('GET /refusals/hours', filter, { everyMs: EVERY_MS });
  const pages = usePages('GET /refusals', filter, 'refusals', { everyMs: EVERY_MS });
  // Refusals of the last day without a filter, and older ones that are loaded.
  const all = useCall('GET /refusals/hours', {}, { everyMs: EVERY_MS });
  const known = [...(all.data?.hours ?? []), ...pages.rows];
  const columns: readonly Column<Refusal>[] = [
    { id: 'code', header: t('refusals.code'), cell: (row) => row.code, width: 'minmax(8rem, 1fr)' },
    {
      id: 'route',
      header: t('events.route'),
      cell: (row) => (row.route === '-' ? t('refusals.noRoute') : row.route),
      width: 'minmax(8rem, 1fr)',
    },
    {
      id: 'via',
      header: t('refusals.via'),
      cell: ({ via, status }) => `${via}${status === null ? '' : ` ${status}`}`,
      width: '7rem',
    },
    reasonColumn(t('refusals.reason')),
    timeColumn('at', t('refusals.at'), { width: '8rem' }),
  ];
  return (
    <div className={classes.stack}>
      <Section
        title={t('refusals.byCode')}
        about={hours.data && t('refusals.since', { since: format.moment(hours.data.since) })}
        flush
      >
        <Loaded of={hours}>{({ hours: counted }) => <ByCode hours={counted} />}</Loaded>
      </Section>
      <Section title={t('refusals.title')} about={t('refusals.about')} flush>
        <Filters pages={pages}>
          <ValueFilter
            param="route"
            label={t('events.route')}
            values={known.map((each) => each.route)}
            wordOf={(name) => (name === '-' ? t('refusals.noRoute') : name)}
          />
          <ValueFilter param="code" label={t('events.code')} values={known.map((each) => each.code)} />
        </Filters>
        <DataTable
          label={t('refusals.title')}
          pages={pages}
          columns={columns}
          rowId={({ id }) => String(id)}
          empty={
            route === undefined && code === undefined
              ? { title: t('refusals.none'), text: t('refusals.noneText') }
              : { title: t('refusals.noMatch'), text: t('events.noMatchText') }
          }
        />
      </Section>
    </div>
  );
}

function ByCode({ hours }: { readonly hours: readonly Hour[] }) {
  const { t } = useTranslation('events');
  const sums = new Map<string, Pick<Hour, 'route' | 'code' | 'via' | 'count' | 'lastAt'>>();
  for (const { via, route, code, count, lastAt } of hours) {
    const key = `${via} ${route} ${code}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { via, route, code, count, lastAt });
    else
      sums.set(key, {
        via,
        route,
        code,
        count: sum.count + count,
        lastAt: lastAt > sum.lastAt ? lastAt : sum.lastAt,
      });
  }
  const rows = [...sums.values()].toSorted((a, b) => b.count - a.count).slice(0, 20);
  if (rows.length === 0) return <EmptyState title={t('refusals.none')} text={t('refusals.noneText')} />;
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('refusals.byCode')}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t('refusals.code')}</th>
            <th scope="col">{t('events.route')}</th>
            <th scope="col">{t('refusals.via')}</th>
            <th scope="col" data-align="end">
              {t('refusals.count')}
            </th>
            <th scope="col">{t('refusals.last')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ via, route, code, count, lastAt }) => (
            <tr key={`${via} ${route} ${code}`}>
              <td>{code}</td>
              <td>{route === '-' ? t('refusals.noRoute') : route}</td>
              <td>{via}</td>
              <td data-align="end">
                <Count of={count} />
              </td>
              <td>
                <Time at={lastAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
