// Calls per minute against the limit: those with success by lane, and on top those that failed.
import { NativeSelect } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { LANE_NAMES } from '../../../core/lanes.ts';
import { useCall } from '../../api/use-call.ts';
import { useFormat } from '../../format/use-format.ts';
import { type Series, TimeChart } from '../../parts/charts/index.tsx';
import { Section } from '../../parts/page.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { PERIODS, usePeriod } from './period.ts';

const EVERY_MS = 30_000;

export function CallsChart() {
  const { t } = useTranslation('overview');
  const { t: common } = useTranslation('common');
  const format = useFormat();
  const { period, minutes, setPeriod } = usePeriod();
  const calls = useCall('GET /calls/minutes', { minutes }, { everyMs: EVERY_MS });
  const chart = useMemo(() => {
    const { stepMinutes = 1, minutes: steps = [] } = calls.data ?? {};
    const perMinute = (count: number) => Math.round((count / stepMinutes) * 10) / 10;
    const lanes = LANE_NAMES.map(
      (lane, index): Series => ({
        name: common(`lane.${lane}`),
        color: (index + 1) as 1,
        values: steps.map(({ succeeded: by }) => perMinute(by[lane] ?? 0)),
      }),
    );
    const wrong = (['limited', 'failed'] as const).map((outcome) => {
      const counts = steps.map(({ [outcome]: count }) => count);
      const all = counts.reduce((sum, count) => sum + count, 0);
      return { name: t(`calls.${outcome}`), values: counts.map(perMinute), color: outcome, all };
    });
    const limit: Series = {
      name: t('calls.limit'),
      color: 'limit',
      values: steps.map(({ limit: allowed }) => (allowed === 0 ? null : perMinute(allowed))),
    };
    return { times: steps.map(({ at }) => at), series: [...lanes, ...wrong, limit], wrong };
  }, [calls.data, common, t]);
  return (
    <Section
      title={t('calls.title')}
      about={t('calls.about')}
      actions={
        <NativeSelect
          size="xs"
          aria-label={t('calls.period')}
          value={period}
          data={PERIODS.map((value) => ({ value, label: t(`calls.last.${value}`) }))}
          onChange={(event) => setPeriod(event.currentTarget.value as typeof period)}
        />
      }
    >
      <Loaded of={calls}>
        {() =>
          chart.times.length === 0 ? (
            <EmptyState title={t('calls.none')} />
          ) : (
            <TimeChart
              label={[
                t('calls.title'),
                ...chart.wrong.map(({ name, all }) => `${name}: ${format.count(all)}`),
              ].join('. ')}
              times={chart.times}
              series={chart.series}
              stacked
              height={220}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
