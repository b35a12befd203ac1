// Days of a campaign's windows.
const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** The same hours on every day of the week. */
export const daily = (...hours: string[]): Record<string, string[]> =>
  Object.fromEntries(WEEK.map((day) => [day, hours]));

export const ALL_DAY = daily('00:00-24:00');
