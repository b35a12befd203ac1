// Draws a time chart with uPlot, and draws it again when data, size, language or colors change.
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './plot.css';
import './series.css';
import type { Format } from '../../format/use-format.ts';
import { timeLabels, WHOLE_STEPS } from './axis-labels.ts';
import type { Series, TimeChartProps } from './series.ts';
import { stackValues } from './stack.ts';

export function usePlot(
  { times, series, stacked = false, band, height }: TimeChartProps & { readonly height: number },
  format: Format,
  scheme: string,
) {
  const target = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = target.current;
    if (element === null) return;
    const color = colorsOf(element);
    const drawn = stacked ? stackValues(series) : series.map(({ values }) => [...values]);
    const areas = series.flatMap(({ color: name }, index) => (name === 'limit' ? [] : [index]));
    const axis = {
      stroke: color('--mantine-color-dimmed'),
      font: '12px "Inter Variable", system-ui',
      ticks: { show: false },
    };
    const options: uPlot.Options = {
      width: element.clientWidth,
      height,
      // Half of the last label of the axis stands beside the plot.
      padding: [8, 24, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { time: true }, y: { range: [0, topOf(drawn, series)] } },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), format.zoneName),
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          values: (_, ticks) => timeLabels(ticks, format),
          space: 64,
        },
        {
          ...axis,
          grid: { stroke: color('--s-line'), width: 1 },
          values: (_, ticks) => ticks.map((value) => format.compact(value)),
          incrs: WHOLE_STEPS,
          size: 44,
        },
      ],
      series: [
        {},
        ...series.map((one) => {
          const stroke = color(`--series-${one.color}`);
          const limit = one.color === 'limit';
          return {
            label: one.name,
            stroke,
            // What went wrong has no line: where its area is empty, a line on top of all others would look like failures.
            width: typeof one.color === 'number' || limit ? 1.5 : 0,
            points: { show: false },
            ...(limit ? { dash: [6, 4] } : {}),
            ...(stacked && !limit ? { fill: withAlpha(stroke, 0.55) } : {}),
          };
        }),
      ],
      bands: stacked
        ? areas
            .slice(0, -1)
            .map((index, position) => ({ series: [(areas[position + 1] ?? 0) + 1, index + 1] as const }))
            .map(({ series: [upper, lower] }) => ({ series: [upper, lower] as [number, number] }))
        : band === undefined
          ? []
          : [{ series: [band[0] + 1, band[1] + 1], fill: withAlpha(color('--series-1'), 0.12) }],
      plugins: [tooltip(series, format)],
    };
    const data = [times.map((at) => Date.parse(at) / 1000), ...drawn] as uPlot.AlignedData;
    const plot = new uPlot(options, data, element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, series, stacked, band, height, format, scheme]);
  return target;
}

/** The values at the pointer, as text of the page: names are data and never become HTML. */
function tooltip(series: readonly Series[], format: Format): uPlot.Plugin {
  const box = document.createElement('div');
  box.className = 'plot-tip';
  return {
    hooks: {
      init: (plot) => {
        plot.over.append(box);
      },
      setCursor: (plot) => {
        const { idx: index, left = 0 } = plot.cursor;
        box.hidden = index === null || index === undefined || left < 0;
        if (index === null || index === undefined) return;
        const at = plot.data[0][index] ?? 0;
        const lines = series.map(({ name, values }) => {
          const value = values[index];
          return `${name}: ${value === null || value === undefined ? '–' : format.count(value)}`;
        });
        box.textContent = [format.moment(new Date(at * 1000).toISOString()), ...lines].join('\n');
        const onLeft = left > plot.over.clientWidth / 2;
        box.style.left = onLeft ? '' : `${left + 12}px`;
        box.style.right = onLeft ? `${plot.over.clientWidth - left + 12}px` : '';
      },
    },
  };
}

/** A limit that is far above the values is left out of view: the values would be a line at the bottom. */
function topOf(drawn: readonly (readonly (number | null)[])[], series: readonly Series[]): number {
  const most = (isLimit: boolean) =>
    Math.max(
      0,
      ...drawn.flatMap((values, n) => ((series[n]?.color === 'limit') === isLimit ? values : [])).map(Number),
    );
  const [values, limit] = [most(false), most(true)];
  const shown = values > 0 && limit > values * 3 ? values : Math.max(values, limit);
  return Math.max(1, shown) * 1.08;
}

function colorsOf(element: Element) {
  const style = getComputedStyle(element);
  return (name: string) => style.getPropertyValue(name).trim();
}

/** @param hex `#rrggbb` */
function withAlpha(hex: string, alpha: number): string {
  return `${hex}${Math.round(alpha * 255)
    .toString(16)
    .padStart(2, '0')}`;
}
