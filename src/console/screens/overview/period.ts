// The period of the chart of calls and of what spent them, in the address.
import { useUrlValue } from '../../app/use-url-state.ts';

/** In minutes. */
export const PERIODS = ['60', '360', '1440', '10080'] as const;
type Period = (typeof PERIODS)[number];

export function usePeriod() {
  const [period, setPeriod] = useUrlValue<Period>('period', '60');
  const known = PERIODS.find((each) => each === period) ?? '60';
  return { period: known, minutes: Number(known), setPeriod };
}
