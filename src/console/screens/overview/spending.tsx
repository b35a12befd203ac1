// What spends the budget: the calls of each sync, campaign, poller and route in the period of the chart.
import { Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { LANE_NAMES } from '../../../core/lanes.ts';
import { useCall } from '../../api/use-call.ts';
import { useFormat } from '../../format/use-format.ts';
import { useNow } from '../../format/use-now.ts';
import { useRouteName } from '../../format/use-route-name.ts';
import { LaneChoice } from '../../parts/lane/lane-choice.tsx';
import { LaneName } from '../../parts/lane/lane-name.tsx';
import { Section } from '../../parts/page.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import textStyles from '../../parts/text.module.css';
import { Count, Share } from '../../parts/values.tsx';
import classes from './budget.module.css';
import { type Spending } from './data.ts';
import { usePeriod } from './period.ts';

const EVERY_MS = 60_000;
/** The largest. */
const JOBS = 12;

export function SpendingTable() {
  const { t } = useTranslation('budget');
  const format = useFormat();
  const routeName = useRouteName();
  const { minutes } = usePeriod();
  const now = useNow();
  // Whole minutes: the question stays the same from one rendering to the next.
  const since = new Date((Math.floor(now / 60_000) - minutes) * 60_000).toISOString();
  const spending = useCall('GET /spending', { by: 'job', limit: JOBS, since }, { everyMs: EVERY_MS });
  return (
    <Section title={t('spending.title')} about={t('spending.about')} flush>
      <Loaded of={spending}>
        {({ items, more }) =>
          items.length === 0 ? (
            <EmptyState title={t('spending.none')} />
          ) : (
            <>
              <Table className={classes.table} verticalSpacing={6} horizontalSpacing="md">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t('spending.what')}</Table.Th>
                    <Table.Th ta="end">{t('spending.calls')}</Table.Th>
                    <Table.Th ta="end" visibleFrom="xs">
                      {t('spending.share')}
                    </Table.Th>
                    <Table.Th>{t('spending.lane')}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map((job) => (
                    <Table.Tr key={[job.account, job.kind, job.name].join(' ')}>
                      <Table.Td>
                        {job.kind === 'command' || job.kind === 'preview'
                          ? t(`spending.own.${job.kind}`)
                          : routeName(job.name)}
                        <div className={textStyles.small}>
                          {t(`spending.kind.${job.kind}`, { account: job.account })}
                        </div>
                      </Table.Td>
                      <Table.Td ta="end">
                        <Count of={job.calls} />
                      </Table.Td>
                      <Table.Td ta="end" visibleFrom="xs">
                        <Share of={job.share} />
                      </Table.Td>
                      <Table.Td>
                        <Lanes of={job} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
              {more && (
                <div className={classes.note}>{t('spending.more', { shown: format.count(JOBS) })}</div>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

/** The lane of a sync can be chosen. Other work has the lanes that its calls took. */
function Lanes({ of: { kind, name, nextLane, lanes } }: { readonly of: Spending }) {
  if (kind === 'sync' && nextLane !== null) return <LaneChoice sync={name} lane={nextLane} />;
  const used = LANE_NAMES.filter((lane) => (lanes[lane] ?? 0) > 0);
  return (
    <span className={classes.lanes}>
      {used.map((lane) => (
        <LaneName key={lane} of={lane} />
      ))}
    </span>
  );
}
