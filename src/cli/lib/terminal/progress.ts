// Progress of long work: a bar that is redrawn on a terminal, otherwise a line at intervals.
import { neutralLine } from '../../../observe/neutral.ts';
import { formatCount, formatDuration, formatRate } from './format.ts';
import { colorFor, writeRaw } from './terminal.ts';
import { cutTo, widthOf } from './width.ts';

export { formatCount, formatDuration, formatRate, formatTime } from './format.ts';

/** The part of a stream that progress needs; process.stderr is one. */
export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface ProgressOptions {
  /** What is in progress: `sync leads`. */
  readonly label: string;
  /** What is counted, in the singular. @default 'record' */
  readonly unit?: string;
  /** Milliseconds since any fixed moment; never goes back. @default performance.now */
  readonly now?: () => number;
}

export interface ProgressState {
  readonly done: number;
  /** Null while it is unknown: the line then has no percentage and no remaining time. */
  readonly total: number | null;
  /** A few words at the end of the line, for example `waiting for the next call`. */
  readonly note?: string;
  /** A person or a refusal of the service stopped the work: the line says so, and has no pace and no remaining time. */
  readonly paused?: boolean;
}

export interface Progress {
  update(state: ProgressState): void;
  /** Prints a separate line above the bar. */
  line(text: string): void;
  /** Removes the bar and prints a last line: `text`, or the count and the time. Later calls do nothing. */
  finish(text?: string): void;
}

/** 10 redraws a second look smooth, and limit the cost of updates by the thousand. */
const REDRAW_MS = 100;
const PLAIN_MS = 5_000;
const PLAIN_SHARE = 0.1;
/** The pace is that of the last 30 s, so that a slow start or a pause stops affecting the remaining time. */
const WINDOW_MS = 30_000;
const CLEAR = '\r\u001b[2K';

/** Writers of streams that show a bar: they write complete lines above it. */
const aboveBar = new WeakMap<ProgressStream, (lines: string, write: Write) => void>();

type Write = (stream: ProgressStream, text: string) => unknown;

/**
 * Writes complete lines, above the progress bar if the stream shows one.
 * @param write @default the stream's own, which makes the lines harmless
 */
export function writeLines(
  stream: ProgressStream,
  lines: string,
  write: Write = (to, text) => to.write(text),
): void {
  const above = aboveBar.get(stream);
  if (above === undefined) write(stream, lines);
  else above(lines, write);
}

/** Writes to `stream` (stderr: stdout is for data). */
export function createProgress(stream: ProgressStream, options: ProgressOptions): Progress {
  const { unit = 'record', now = () => performance.now() } = options;
  const label = neutralLine(options.label);
  const pace = createPace(now());
  const terminal = stream.isTTY === true;
  const startedAt = now();
  let state: ProgressState = { done: 0, total: null };
  let drawnAt = Number.NEGATIVE_INFINITY;
  let drawn = '';
  let printed: { at: number; done: number } | undefined;
  let finished = false;

  const text = () => describe(label, unit, state, pace.rate());
  const draw = () => {
    // A terminal of unknown width reports 0.
    const columns = stream.columns ?? 0;
    const line = barLine(text(), state, columns > 0 ? columns : 80);
    drawnAt = now();
    if (line === drawn) return;
    drawn = line;
    writeRaw(stream, CLEAR + (state.paused === true ? colorFor(stream, line, 'yellow') : line));
  };
  const hide = () => {
    if (drawn === '') return;
    writeRaw(stream, CLEAR);
    drawn = '';
  };
  const print = () => {
    printed = { at: now(), done: state.done };
    stream.write(`${joined(text())}\n`);
  };

  const above = (lines: string, write: Write) => {
    const shown = drawn !== '';
    hide();
    write(stream, lines);
    if (shown) draw();
  };
  if (terminal) aboveBar.set(stream, above);

  return {
    update(next) {
      if (finished) return;
      const isTurned = (next.paused === true) !== (state.paused === true);
      state = next;
      pace.add(now(), next.done);
      if (terminal) {
        if (now() - drawnAt >= REDRAW_MS || isComplete(next) || isTurned) draw();
      } else if (printed === undefined || isTurned || isDue(printed, next, now())) print();
    },
    line(line) {
      writeLines(stream, `${line}\n`);
    },
    finish(last) {
      if (finished) return;
      hide();
      finished = true;
      if (aboveBar.get(stream) === above) aboveBar.delete(stream);
      const took = formatDuration(now() - startedAt);
      stream.write(`${last ?? `${label}: ${counted(state.done, unit)} in ${took}`}\n`);
    },
  };
}

function isComplete({ done, total }: ProgressState): boolean {
  return total !== null && done >= total;
}

// Every 10 % in a quick run, every 5 s in a slow one; the last state only once.
function isDue(printed: { at: number; done: number }, next: ProgressState, at: number): boolean {
  if (isComplete(next)) return printed.done < next.done;
  if (at - printed.at >= PLAIN_MS) return true;
  return next.total !== null && next.total > 0 && (next.done - printed.done) / next.total >= PLAIN_SHARE;
}

interface Described {
  readonly label: string;
  /** Most important first: parts that do not fit are left out from the end. */
  readonly parts: readonly string[];
}

function describe(label: string, unit: string, state: ProgressState, rate: number): Described {
  const { done, total, note, paused = false } = state;
  const parts: string[] = [];
  if (total !== null) parts.push(`${percent(done, total)}%`);
  parts.push(total === null ? counted(done, unit) : `${formatCount(done)} of ${counted(total, unit)}`);
  if (paused) parts.push('paused');
  const moves = rate > 0 && !paused;
  if (moves) parts.push(formatRate(rate));
  if (moves && total !== null && done < total) parts.push(`${formatDuration((total - done) / rate)} left`);
  if (note !== undefined && note !== '') parts.push(neutralLine(note));
  return { label, parts };
}

function counted(n: number, unit: string): string {
  return `${formatCount(n)} ${unit}${n === 1 ? '' : 's'}`;
}

// 100 % only when all is done.
function percent(done: number, total: number): number {
  if (total <= 0 || done >= total) return 100;
  return Math.min(99, Math.max(0, Math.floor((done / total) * 100)));
}

function joined({ label, parts }: Described): string {
  return `${label}: ${parts.join(', ')}`;
}

/** Cells of the shortest bar worth drawing. */
const MIN_BAR = 10;

// One column stays free: a full last column makes some terminals begin a new line, and the bar would then stack up.
function barLine(described: Described, { done, total }: ProgressState, columns: number): string {
  const width = Math.max(1, columns - 1);
  const parts = [...described.parts];
  // The bar is the most important part: text gives way to it, the last part first.
  const words = total === null ? width : width - MIN_BAR - 3;
  while (parts.length > 1 && widthOf(joined({ ...described, parts })) > words) parts.pop();
  const text = joined({ ...described, parts });
  const barWidth = Math.min(30, width - widthOf(text) - 3);
  if (total === null || barWidth < MIN_BAR) return cutTo(text, width);
  const filled = Math.floor((barWidth * percent(done, total)) / 100);
  return `${described.label} [${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${parts.join(', ')}`;
}

// Items per millisecond over the last WINDOW_MS. One point a second is kept: at most 31.
function createPace(startedAt: number) {
  const points = [{ at: startedAt, done: 0 }];
  let last = { at: startedAt, done: 0 };
  let counting = false;
  return {
    add(at: number, done: number) {
      // A resumed run starts above zero: earlier work is not part of its pace.
      if (!counting) {
        counting = true;
        points[0] = { at: startedAt, done };
      }
      last = { at, done };
      if (at - points.at(-1)!.at >= 1000) points.push(last);
      while (points.length > 2 && at - points[1]!.at >= WINDOW_MS) points.shift();
    },
    rate(): number {
      const first = points[0]!;
      const elapsed = last.at - first.at;
      return elapsed < 1000 ? 0 : Math.max(0, last.done - first.done) / elapsed;
    },
  };
}
