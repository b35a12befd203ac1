// How much happens at which hour of which weekday. It is a table, whose cells have colors on top of their numbers.
import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';
import classes from './charts.module.css';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

export interface HeatMapProps {
  readonly label: string;
  /** Seven rows from Monday to Sunday, with 24 numbers each, in the time zone of the account. */
  readonly values: readonly (readonly number[])[];
  /** What is counted, for the words of a cell: `replies`. */
  readonly unit: string;
}

export function HeatMap({ label, values, unit }: HeatMapProps) {
  const { t } = useTranslation('common');
  const format = useFormat();
  const most = Math.max(1, ...values.flat());
  const day = (index: number, style: 'short' | 'long') =>
    new Intl.DateTimeFormat(format.language, { weekday: style, timeZone: 'UTC' }).format(
      MONDAY + index * DAY_MS,
    );
  return (
    <div className={classes.heatScroll} tabIndex={0} role="region" aria-label={label}>
      <table className={classes.heat} aria-label={label}>
        <thead>
          <tr>
            <td className={classes.heatCorner} />
            {HOURS.map((hour) => (
              <th key={hour} scope="col" className={classes.heatHead}>
                <span className={hour % 3 === 0 ? undefined : classes.hidden}>{hour}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {values.map((row, index) => (
            <tr key={day(index, 'long')}>
              <th scope="row" className={classes.heatSide}>
                {day(index, 'short')}
              </th>
              {HOURS.map((hour) => {
                const value = row[hour] ?? 0;
                const words = t('heat.cell', {
                  day: day(index, 'long'),
                  hour,
                  value: format.count(value),
                  unit,
                });
                return (
                  <td key={hour}>
                    <Tooltip label={words}>
                      <div
                        className={classes.heatCell}
                        style={{ '--heat': `${Math.round((value / most) * 100)}%` } as React.CSSProperties}
                      >
                        <span className={classes.hidden}>{format.count(value)}</span>
                      </div>
                    </Tooltip>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
