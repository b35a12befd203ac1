// What remains over time, beside the plan at full and at half pace.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useCall } from '../../api/use-call.ts';
import { type Series, TimeChart } from '../../parts/charts/index.tsx';
import { Section } from '../../parts/page.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';

const EVERY_MS = 15_000;

type Lines = Output<'GET /campaigns/{campaign}/burn-down'>;
type Line = Lines['done'];

export function BurnDown({ run }: { readonly run: string }) {
  const { t } = useTranslation('campaigns');
  const lines = useCall('GET /campaigns/{campaign}/burn-down', { campaign: run }, { everyMs: EVERY_MS });
  return (
    <Section title={t('burn.title')} about={t('burn.about')}>
      <Loaded of={lines}>
        {(data) => (data.total === 0 ? <EmptyState title={t('burn.empty')} /> : <Chart lines={data} />)}
      </Loaded>
    </Section>
  );
}

function Chart({ lines }: { readonly lines: Lines }) {
  const { t } = useTranslation('campaigns');
  const { done, fast, slow } = lines;
  const { times, series } = useMemo(() => {
    const all = [...new Set([...done, ...fast, ...slow].map(({ at }) => Date.parse(at)))].toSorted(
      (a, b) => a - b,
    );
    const drawn: Series[] = [
      { name: t('burn.slow'), values: at(slow, all), color: 4 },
      { name: t('burn.fast'), values: at(fast, all), color: 1 },
      { name: t('burn.left'), values: at(done, all), color: 2 },
    ];
    return { times: all.map((ms) => new Date(ms).toISOString()), series: drawn };
  }, [done, fast, slow, t]);
  return <TimeChart label={t('burn.label')} times={times} series={series} band={[0, 1]} height={240} />;
}

/** The line at these times, straight between its points; null where it has not begun or is over. At zero it stays. */
function at(line: Line, times: readonly number[]): (number | null)[] {
  const points = line.map((point) => ({ ms: Date.parse(point.at), left: point.left }));
  let next = 0;
  return times.map((ms) => {
    while (next < points.length && (points[next]?.ms ?? 0) < ms) next += 1;
    const after = points[next];
    const before = points[next - 1];
    if (after === undefined) return before?.left === 0 ? 0 : null;
    if (after.ms === ms || before === undefined) return after.ms === ms ? after.left : null;
    const share = (ms - before.ms) / (after.ms - before.ms);
    return Math.round(before.left + share * (after.left - before.left));
  });
}
