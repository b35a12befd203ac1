// What `sluice size` prints for people.
import { formatCount, formatMany } from '../lib/terminal/format.ts';
import { type Column, tableOf } from '../lib/terminal/table.ts';
import { ASSUMED, MEASURED } from './figures.ts';
import type { Limit, Part, Size, Stored } from './model.ts';

export function describeSize(size: Size): string[] {
  const { input, limits } = size;
  const [first] = limits;
  return [
    `${formatMany(input.tokens, 'token')} of ${formatCount(input.callsPerMinute)} calls a minute, ${input.busy} % busy at the same time:`,
    `${number(size.callsPerSecond)} calls, ${number(size.transactionsPerSecond)} ledger transactions and ${number(size.activitiesPerSecond)} Temporal activities a second`,
    '',
    ...tableOf(PARTS, size.parts),
    `in all: ${number(size.cores)} cores, ${memory(size.memoryMB)}, and ${disk(size.diskBytes)} of disk for the ledger`,
    '',
    ...tableOf(STORED, size.stored),
    '',
    ...tableOf(LIMITS, limits),
    ...(first === undefined ? [] : [givesOut(first)]),
    '',
    ...basis(size),
  ];
}

/** One line per size. */
export function describeSizes(sizes: readonly Size[]): string[] {
  const largest = sizes.at(-1);
  return [...tableOf(SIZES, sizes), '', ...(largest === undefined ? [] : basis(largest))];
}

function givesOut({ name, share, wayOut }: Limit): string {
  return share > 1
    ? `too small: ${name}, ${percent(share)} of the limit; ${wayOut}`
    : `gives out first: ${name}, at ${number(1 / share)} times this load; then ${wayOut}`;
}

/** What the estimate stands on. */
function basis({ extrapolated }: Size): string[] {
  const points = MEASURED.points.map(
    ({ tokens, callsPerSecond, from }) =>
      `  ${formatMany(tokens, 'token')}, ${number(callsPerSecond)} calls a second (${from})`,
  );
  return [
    `measured on ${MEASURED.on}, ${MEASURED.conditions}:`,
    ...points,
    ...(extrapolated ? ['this load is beyond what was measured: the same lines go on'] : []),
    'assumptions:',
    ...Object.values(ASSUMED).map(({ value, text }) => `  ${value}: ${text}`),
  ];
}

const PARTS: readonly Column<Part>[] = [
  ['part', 'left', ({ name }) => name],
  ['processes', 'right', ({ processes }) => formatCount(processes)],
  ['cores', 'right', ({ cores }) => number(cores)],
  ['memory', 'right', ({ memoryMB }) => memory(memoryMB)],
];
const STORED: readonly Column<Stored>[] = [
  ['ledger', 'left', ({ kind }) => kind],
  ['rows', 'right', ({ rows }) => formatCount(rows)],
  ['disk', 'right', ({ bytes }) => disk(bytes)],
];
const LIMITS: readonly Column<Limit>[] = [
  ['limit', 'left', ({ name }) => name],
  ['used', 'right', ({ use }) => number(use)],
  ['of', 'right', ({ limit }) => number(limit)],
  ['share', 'right', ({ share }) => percent(share)],
];
const SIZES: readonly Column<Size>[] = [
  ['tokens', 'right', ({ input }) => formatCount(input.tokens)],
  ['calls/s', 'right', ({ callsPerSecond }) => number(callsPerSecond)],
  ['workers', 'right', ({ parts }) => formatCount(parts[0]?.processes ?? 0)],
  ['cores', 'right', ({ cores }) => number(cores)],
  ['memory', 'right', ({ memoryMB }) => memory(memoryMB)],
  ['disk', 'right', ({ diskBytes }) => disk(diskBytes)],
  ['gives out first', 'left', ({ limits }) => limits[0]?.name ?? ''],
  ['share', 'right', ({ limits }) => percent(limits[0]?.share ?? 0)],
];

/** Three digits at least say enough of an estimate. */
function number(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return formatCount(Number(value.toFixed(digits)));
}

function percent(share: number): string {
  return `${number(share * 100)} %`;
}

function memory(megabytes: number): string {
  return megabytes < 1000 ? `${number(megabytes)} MB` : `${number(megabytes / 1000)} GB`;
}

function disk(bytes: number): string {
  return memory(bytes / 1e6);
}
