// The state of an event as one word.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { Status } from '../../parts/status.tsx';

export type EventRow = Output<'GET /events'>['events'][number];

const LOOK = {
  received: 'waiting',
  open: 'running',
  blocked: 'blocked',
  done: 'done',
  unchanged: 'unchanged',
  superseded: 'skipped',
  failed: 'failed',
  unknown: 'unknown',
  discarded: 'cancelled',
} as const;
export type EventState = keyof typeof LOOK;
export const EVENT_STATES = Object.keys(LOOK) as EventState[];

export const isEventState = (text: string | undefined): text is EventState =>
  text !== undefined && Object.hasOwn(LOOK, text);

function stateOf({ state, outcome, blocked }: EventRow): EventState {
  if (outcome !== null) return outcome;
  if (blocked !== null) return 'blocked';
  return state === 'received' ? 'received' : 'open';
}

export function EventStatus({ event }: { readonly event: EventRow }) {
  const { t } = useTranslation('events');
  const state = stateOf(event);
  return <Status of={LOOK[state]} label={t(`state.${state}`)} />;
}

/** Only these can be tried again. */
export const isRetryable = (event: EventRow) => ['failed', 'unknown', 'blocked'].includes(stateOf(event));
