// A page that draws the panels of the dashboard as Prometheus answered them, in the grid of the dashboard.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { AnsweredPanel } from './prometheus.ts';

const UPLOT = join(dirname(createRequire(import.meta.url).resolve('uplot/package.json')), 'dist');
const COLORS = ['#3274d9', '#56a64b', '#e0752d', '#a352cc', '#e02f44', '#0f9d9d', '#b58900', '#7f7f7f'];
/** Pixels: of a column of the grid, a row of the grid, and the space between panels. */
const [COLUMN, ROW, GAP] = [66, 30, 8];
const LEGEND_ROWS = 2;

const STYLE = `
  body { margin: 16px; background: #f4f5f5; color: #24292e; font: 13px/1.3 system-ui, sans-serif; width: ${24 * COLUMN}px; }
  header { margin-bottom: 12px; } h1 { margin: 0; font-size: 20px; } header p { margin: 2px 0 0; color: #555; }
  main { position: relative; }
  section { position: absolute; box-sizing: border-box; background: #fff; border: 1px solid #dcdfe3; border-radius: 3px; padding: 6px 8px; overflow: hidden; }
  section.row { background: none; border: 0; padding: 4px 0; font-weight: 600; font-size: 15px; }
  h2 { margin: 0 0 2px; font-size: 13px; font-weight: 600; }
  .number { font-size: 30px; font-weight: 600; color: #2f7d32; } .names { display: flex; gap: 14px; } .names b { font-size: 24px; color: #2f7d32; }
  .none { color: #777; padding-top: 20px; text-align: center; }
  .legend { color: #444; font-size: 11px; } .legend i { display: inline-block; width: 10px; height: 3px; margin: 0 4px 3px 0; }
  .legend span { margin-right: 10px; white-space: nowrap; }
`;

/** @param about what the picture shows, under its title */
export function pageOf(panels: readonly AnsweredPanel[], about: string): string {
  const bottom = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  const data = JSON.stringify(panels.map((panel, at) => ({ ...panel, at }))).replaceAll('<', '\\u003c');
  return `<!doctype html><meta charset="utf-8"><title>Sluice</title>
<style>${readFileSync(join(UPLOT, 'uPlot.min.css'), 'utf8')}${STYLE}</style>
<header><h1>Sluice</h1><p>${escape(about)}</p></header>
<main style="height: ${bottom * ROW}px">${panels.map(sectionOf).join('\n')}</main>
<script>${readFileSync(join(UPLOT, 'uPlot.iife.min.js'), 'utf8')}</script>
<script>
const COLORS = ${JSON.stringify(COLORS)};
const UNITS = { short: plain, ops: plain, percentunit: (v) => plain(v * 100) + ' %', bytes: (v) => plain(v / 1e6) + ' MB',
  s: (v) => v === 0 ? '0' : v < 0.001 ? plain(v * 1e6) + ' µs' : v < 1 ? plain(v * 1000) + ' ms' : plain(v) + ' s' };
function plain(v) { return Number(v.toPrecision(3)).toLocaleString('en-US'); }
for (const { at, unit, times, series } of ${data}.filter(({ type }) => type === 'timeseries')) {
  const place = document.getElementById('chart-' + at);
  if (place === null) continue;
  const format = UNITS[unit] ?? plain;
  new uPlot({
    width: place.clientWidth, height: place.clientHeight, legend: { show: false }, cursor: { show: false },
    scales: { y: { range: (_, low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      { size: 30, space: 80, values: (_, ticks) => ticks.map((t) => new Date(t * 1000).toISOString().slice(11, 19)), grid: { stroke: '#eee' } },
      { size: 62, values: (_, ticks) => ticks.map(format), grid: { stroke: '#eee' } },
    ],
    series: [{}, ...series.map((_, index) => ({ stroke: COLORS[index % COLORS.length], width: 1.5, points: { show: false }, spanGaps: false }))],
  }, [times, ...series.map(({ values }) => values)], place);
}
for (const each of document.querySelectorAll('[data-unit]')) each.textContent = (UNITS[each.dataset.unit] ?? plain)(Number(each.dataset.value));
document.body.dataset.drawn = 'true';
</script>`;
}

function sectionOf(panel: AnsweredPanel, at: number): string {
  const { type, title, gridPos, series } = panel;
  const isRow = type === 'row';
  const [width, height] = [gridPos.w * COLUMN - GAP, gridPos.h * ROW - (isRow ? 0 : GAP)];
  const place = `left: ${gridPos.x * COLUMN}px; top: ${gridPos.y * ROW}px; width: ${width}px; height: ${height}px`;
  if (isRow) return `<section class="row" style="${place}">${escape(title)}</section>`;
  const body = series.every(({ values }) => values.every((value) => value === null))
    ? '<div class="none">No data</div>'
    : type === 'stat'
      ? statOf(panel)
      : chartOf(panel, at, height);
  return `<section style="${place}"><h2>${escape(title)}</h2>${body}</section>`;
}

function statOf({ series, unit, title }: AnsweredPanel): string {
  const last = ({ values }: AnsweredPanel['series'][number]) =>
    values.findLast((value) => value !== null) ?? 0;
  const shown = (value: number) => `<span data-unit="${unit}" data-value="${value}"></span>`;
  const [first] = series;
  if (series.length === 1 && first?.label === title) return `<div class="number">${shown(last(first))}</div>`;
  const parts = series.map((each) => `<div>${escape(each.label)}<br><b>${shown(last(each))}</b></div>`);
  return `<div class="names">${parts.join('')}</div>`;
}

function chartOf({ series }: AnsweredPanel, at: number, height: number): string {
  const names = series.map(
    ({ label }, index) =>
      `<span><i style="background: ${COLORS[index % COLORS.length]}"></i>${escape(label)}</span>`,
  );
  const chart = height - 26 - LEGEND_ROWS * 15 - 8;
  return `<div id="chart-${at}" style="height: ${chart}px"></div><div class="legend">${names.join('')}</div>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
