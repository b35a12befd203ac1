// What happened, in order: of a person, of a run.
import type { ReactNode } from 'react';
import type { Tone } from './status.tsx';
import classes from './timeline.module.css';
import { Time } from './values.tsx';

export interface TimelineEntry {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  /** One sentence. */
  readonly title: ReactNode;
  readonly details?: ReactNode;
  readonly tone?: Tone;
  readonly icon?: ReactNode;
}

export function Timeline({
  entries,
  label,
}: {
  readonly entries: readonly TimelineEntry[];
  readonly label: string;
}) {
  return (
    <ol className={classes.timeline} aria-label={label}>
      {entries.map(({ id, at, title, details, tone = 'idle', icon }) => (
        <li key={id} className={classes.entry} data-tone={tone}>
          <span className={classes.dot} aria-hidden>
            {icon}
          </span>
          <div className={classes.text}>
            <div className={classes.title}>{title}</div>
            {details !== undefined && <div className={classes.details}>{details}</div>}
          </div>
          <div className={classes.time}>
            <Time at={at} as="moment" />
          </div>
        </li>
      ))}
    </ol>
  );
}
