// Which schedules of syncs a form shows, and that it writes what the server accepts.
import { expect, it } from 'vitest';
import { cronText, readCron } from '../../../src/console/screens/syncs/edit/simple-cron.ts';
import { cronProblem } from '../../../src/core/config/schedule.ts';

const ALL = [0, 1, 2, 3, 4, 5, 6];

it.each<[string, string, number[], string]>([
  ['0 6 * * *', '06:00', ALL, '0 6 * * *'],
  ['5 23 * * 1-5', '23:05', [1, 2, 3, 4, 5], '5 23 * * 1,2,3,4,5'],
  ['00 06 * * mon,Wed', '06:00', [1, 3], '0 6 * * 1,3'],
  ['0 6 * * 7', '06:00', [0], '0 6 * * 0'],
  ['0 6 * * 5-7', '06:00', [5, 6, 0], '0 6 * * 0,5,6'],
  ['59 0 * * 0-6', '00:59', ALL, '59 0 * * *'],
])('%s is at %s', (text, time, days, written) => {
  expect(readCron(text)).toEqual({ time, days });
  expect(cronText({ time, days })).toBe(written);
  expect(cronProblem(written)).toBeNull();
});

it.each<unknown>([
  '@daily',
  '*/5 6 * * *',
  '0 6,18 * * *',
  '0 6 1 * *',
  '0 6 * 1 *',
  '0 24 * * *',
  '60 6 * * *',
  '0 6 * * 1-5/2',
  '0 6 * * 5-1',
  '0 6 * * 8',
  '0 6 * * 1,',
  '0 6 * *',
  '',
  undefined,
  ['0 6 * * *'],
])('%j is left to cron', (text) => expect(readCron(text)).toBeNull());

it.each([
  { time: '', days: ALL },
  { time: '06:00', days: [] },
  { time: '', days: [1] },
])('what is not chosen yet outlasts a reload, and the server refuses it: %j', (open) => {
  expect(readCron(cronText(open))).toEqual(open);
  expect(cronProblem(cronText(open))).not.toBeNull();
});
