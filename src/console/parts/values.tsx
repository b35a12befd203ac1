// Times, counts, durations and rates as the viewer reads them.
import { Text, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../format/use-format.ts';
import { useNow } from '../format/use-now.ts';
import classes from './values.module.css';

/** Nothing there, said to a screen reader too. */
export function None() {
  const { t } = useTranslation('common');
  return (
    <Text span c="dimmed">
      <span aria-hidden>–</span>
      <span className={classes.hidden}>{t('value.none')}</span>
    </Text>
  );
}

export interface TimeProps {
  /** ISO 8601; null is shown as nothing. */
  readonly at: string | null;
  /** `moment`: date and time instead of `5 min ago`. `ago`: of something that has happened, so never ahead. */
  readonly as?: 'relative' | 'ago' | 'moment';
}

/** How long ago or ahead. The exact time with its zone shows on hover, focus and touch. */
export function Time({ at, as = 'relative' }: TimeProps) {
  const format = useFormat();
  const now = useNow();
  if (at === null) return <None />;
  return (
    <Tooltip label={format.instant(at)}>
      <time dateTime={at} tabIndex={0} className={classes.time} aria-label={format.instant(at)}>
        {as === 'moment' ? format.moment(at) : format[as](at, now)}
      </time>
    </Tooltip>
  );
}

export function Count({ of }: { readonly of: number | null }) {
  const format = useFormat();
  return of === null ? <None /> : <span className={classes.number}>{format.count(of)}</span>;
}

/** @param seconds null: not known */
export function Duration({ seconds }: { readonly seconds: number | null }) {
  const format = useFormat();
  return seconds === null ? <None /> : <span className={classes.number}>{format.duration(seconds)}</span>;
}

/** Calls per minute. */
export function Rate({ perMinute }: { readonly perMinute: number | null }) {
  const format = useFormat();
  const { t } = useTranslation('common');
  if (perMinute === null) return <None />;
  return (
    <span className={classes.number}>
      {t('value.perMinute', { count: perMinute, shown: format.count(perMinute) })}
    </span>
  );
}

/** A share of a whole, from 0 to 1. */
export function Share({ of }: { readonly of: number | null }) {
  const format = useFormat();
  return of === null ? <None /> : <span className={classes.number}>{format.percent(of)}</span>;
}
