// How many cases a property draws: a third in `npm test`, all of them in `npm run test:long`.

/** Set by the project `long`. */
export const LONG_VARIABLE = 'SLUICE_TEST_LONG';

/** @param all runs in the long variant */
export function propertyRuns(all: number): number {
  return process.env[LONG_VARIABLE] ? all : Math.ceil(all / 3);
}
