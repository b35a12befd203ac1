// How much of a limit is used, and by what.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';
import classes from './charts.module.css';

export interface GaugePart {
  readonly name: string;
  readonly value: number;
}

export interface GaugeProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  /** What the use consists of. The order gives the colors, which are the same in every gauge. */
  readonly parts?: readonly GaugePart[];
}

export function Gauge({ label, used, limit, parts }: GaugeProps) {
  const { t } = useTranslation('common');
  const format = useFormat();
  const shown = parts ?? [{ name: label, value: used }];
  const scale = Math.max(limit, used, 1);
  return (
    <div className={classes.gauge}>
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={used}
        aria-valuetext={t('gauge.used', { used: format.count(used), limit: format.count(limit) })}
        className={classes.track}
      >
        {shown.map(({ name, value }, index) => (
          <span
            key={name}
            className={classes.segment}
            data-series={index + 1}
            style={{ width: `${(value / scale) * 100}%` }}
          />
        ))}
      </div>
      {parts !== undefined && (
        <ul className={classes.legend}>
          {parts.map(({ name, value }, index) => (
            <li key={name} data-zero={value === 0}>
              <span className={classes.swatch} data-series={index + 1} aria-hidden />
              {name} <strong>{format.count(value)}</strong>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
