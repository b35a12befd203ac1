// What the clocks on the wall show, by Intl alone: the oracle that windows of campaigns are tested against. It shares nothing
// with the code that works windows out.
import { type SendingWindows } from '../../../src/jobs/campaigns/config.ts';
import { WEEKDAYS } from '../../../src/jobs/campaigns/constants.ts';

interface Wall {
  /** 2026-12-25 */
  readonly date: string;
  /** 09:30:00.000 */
  readonly time: string;
  /** From 0 for Monday. */
  readonly weekday: number;
}

const DAY_MS = 86_400_000;
const NAMES = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

function wallClock(zone: string): (ms: number) => Wall {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  });
  return (ms) => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    return {
      date: `${part['year']}-${part['month']}-${part['day']}`,
      time: `${part['hour']}:${part['minute']}:${part['second']}.${part['fractionalSecond']}`,
      weekday: NAMES.indexOf(part['weekday'] ?? ''),
    };
  };
}

/** Whether this instant may be in a window, by what the clocks of a zone show then and nothing else. */
export function wallOracle(windows: SendingWindows, zone: string): (ms: number) => boolean {
  const wall = wallClock(zone);
  const holidays = new Set(windows.holidays);
  const isHoliday = (date: string): boolean => holidays.has(date) || holidays.has(date.slice(5));
  const ranges = WEEKDAYS.map((day) =>
    (windows.days[day] ?? []).map((text) => {
      const [from = '', until = ''] = text.split('-');
      return { from, until, night: until < from };
    }),
  );
  return (ms) => {
    const { date, time, weekday } = wall(ms);
    if (isHoliday(date)) return false;
    const today = ranges[weekday] ?? [];
    if (today.some(({ from, until, night }) => from <= time && (night || time < until))) return true;
    const before = new Date(Date.parse(`${date}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10);
    const yesterday = isHoliday(before) ? [] : (ranges[(weekday + 6) % 7] ?? []);
    return yesterday.some(({ until, night }) => night && time < until);
  };
}

/** Whether the clocks of a zone are set back within two hours of this instant: what comes twice is read the narrower way. */
export function isSetBackNear(zone: string): (ms: number) => boolean {
  const wall = wallClock(zone);
  const offset = (ms: number): number => {
    const { date, time } = wall(ms);
    return Date.parse(`${date}T${time}Z`) - ms;
  };
  return (ms) => offset(ms - DAY_MS / 12) > offset(ms + DAY_MS / 12);
}
