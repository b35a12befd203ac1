// The state of a thing as an icon and a word. Color comes on top; nothing is said by color alone.
import {
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconCircleDashed,
  IconClock,
  IconHelp,
  IconHourglass,
  IconPlayerPause,
  IconPlayerPlay,
  IconX,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './status.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'idle';

type Icon = typeof IconCheck;

/** Everything that Sluice calls a status or an outcome. The words are in the catalogs under `status`. */
const STATUSES = {
  ok: ['good', IconCheck],
  done: ['good', IconCheck],
  completed: ['good', IconCheck],
  delivered: ['good', IconCheck],
  created: ['good', IconCheck],
  updated: ['good', IconCheck],
  unchanged: ['idle', IconCheck],
  merged: ['idle', IconCheck],
  running: ['info', IconPlayerPlay],
  planned: ['info', IconClock],
  scheduled: ['info', IconClock],
  waiting: ['info', IconHourglass],
  pending: ['info', IconHourglass],
  approval: ['warn', IconHourglass],
  paused: ['warn', IconPlayerPause],
  blocked: ['bad', IconBan],
  degraded: ['warn', IconAlertTriangle],
  unknown: ['warn', IconHelp],
  rejected: ['warn', IconX],
  failed: ['bad', IconX],
  dead: ['bad', IconX],
  down: ['bad', IconX],
  cancelled: ['idle', IconBan],
  skipped: ['idle', IconCircleDashed],
  off: ['idle', IconCircleDashed],
} as const satisfies Record<string, readonly [Tone, Icon]>;

export type StatusName = keyof typeof STATUSES;

const isKnown = (name: string): name is StatusName => Object.hasOwn(STATUSES, name);

export interface StatusProps {
  /** A status of the server. One that the console does not know is shown as it is. */
  readonly of: string;
  /** Other words than the usual ones for this status. */
  readonly label?: string;
}

export function Status({ of, label }: StatusProps) {
  const { t } = useTranslation('common');
  const [tone, Icon] = isKnown(of) ? STATUSES[of] : (['idle', IconCircleDashed] as const);
  return (
    <span className={classes.status} data-tone={tone}>
      <Icon size={14} stroke={2.2} aria-hidden className={classes.icon} />
      {label ?? (isKnown(of) ? t(`status.${of}`) : of)}
    </span>
  );
}

/** A short text on a ground of a tone, for counts beside a word. */
export function Chip({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={classes.chip} data-tone={tone}>
      {children}
    </span>
  );
}
