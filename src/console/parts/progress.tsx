// How far a run is: share, counts, pace and when it ends.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../format/use-format.ts';
import { useNow } from '../format/use-now.ts';
import classes from './progress.module.css';
import type { Tone } from './status.tsx';

export interface ProgressPart {
  readonly name: string;
  readonly count: number;
  readonly tone: Tone;
}

export interface RunProgressProps {
  /** What the bar counts, for a screen reader: `Records of contacts`. */
  readonly label: string;
  readonly done: number;
  /** Null: not known yet. */
  readonly total: number | null;
  /** Parts of what is done, in the order of the bar. */
  readonly parts?: readonly ProgressPart[];
  /** Expected end, ISO 8601. */
  readonly eta?: string | null;
  /** Earliest and latest end that the pace of the last minutes allows. */
  readonly range?: readonly [string, string] | null;
  /** The bar says so, and shows no end. */
  readonly isPaused?: boolean;
}

export function RunProgress({ label, done, total, parts, eta, range, isPaused = false }: RunProgressProps) {
  const { t } = useTranslation('common');
  const format = useFormat();
  const now = useNow();
  const share = total === null || total === 0 ? null : Math.min(1, done / total);
  const shown = parts ?? [{ name: label, count: done, tone: 'info' as const }];
  const between = (from: string, to: string) => t('progress.between', { from, to });
  const end =
    range !== undefined && range !== null
      ? between(...format.span(range[0], range[1], now))
      : eta !== undefined && eta !== null
        ? t('progress.eta', { at: format.moment(eta) })
        : null;
  const counts =
    total === null
      ? t('progress.some', { done: format.count(done) })
      : t('progress.of', { done: format.count(done), total: format.count(total) });
  return (
    <div className={classes.progress} data-paused={isPaused}>
      <div
        className={classes.bar}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        {...(share === null ? {} : { 'aria-valuenow': Math.round(share * 100) })}
        aria-valuetext={[counts, isPaused ? t('status.paused') : end].filter(Boolean).join(', ')}
      >
        {shown.map(({ name, count, tone }) => (
          <span
            key={name}
            className={classes.part}
            data-tone={tone}
            style={{ width: `${total === null || total === 0 ? 0 : (count / total) * 100}%` }}
          />
        ))}
      </div>
      <div className={classes.line} aria-hidden>
        <span>
          {share !== null && <strong>{format.percent(share)}</strong>} {counts}
        </span>
        <span>{isPaused ? t('status.paused') : end}</span>
      </div>
    </div>
  );
}
