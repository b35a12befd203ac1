// Charts load when the first one is shown.
import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { TimeChartProps } from './series.ts';

export type { Series, TimeChartProps } from './series.ts';

const LazyTimeChart = lazy(() => import('./time-chart.tsx'));

export function TimeChart(props: TimeChartProps) {
  return (
    <Suspense fallback={<Skeleton height={(props.height ?? 200) + 30} radius="md" />}>
      <LazyTimeChart {...props} />
    </Suspense>
  );
}
