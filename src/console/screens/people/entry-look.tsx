// The icon and the tone of an entry of the timeline.
import {
  IconAlertTriangle,
  IconArrowsExchange,
  IconBan,
  IconBolt,
  IconHelp,
  IconId,
  IconMail,
  IconMessages,
  IconPlugConnected,
  IconSend,
  IconTruckDelivery,
  IconUser,
  IconUserOff,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { TimelineEntry } from '../../../operator/contract/people-timeline.ts';
import type { Tone } from '../../parts/status.tsx';

const ICONS: Readonly<Record<TimelineEntry['kind'], typeof IconBolt>> = {
  event: IconBolt,
  row: IconArrowsExchange,
  finding: IconAlertTriangle,
  contact: IconUser,
  card: IconId,
  effect: IconHelp,
  call: IconPlugConnected,
  campaign: IconSend,
  conversation: IconMessages,
  message: IconMail,
  delivery: IconTruckDelivery,
  gap: IconBan,
  optOut: IconUserOff,
};

/** By kind and code, else by code. Everything else is neutral. */
const TONES: Readonly<Record<string, Tone>> = {
  'row/created': 'good',
  'row/updated': 'good',
  'row/pending': 'info',
  'event/received': 'info',
  'event/done': 'good',
  'card/created': 'good',
  'contact/written': 'good',
  'campaign/triggered': 'info',
  'campaign/included': 'info',
  'campaign/excluded': 'warn',
  'campaign/skipped': 'warn',
  'campaign/replied': 'good',
  'effect/sent': 'warn',
  'finding/warning': 'warn',
  'finding/rejected': 'bad',
  'delivery/sent': 'info',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  blocked: 'bad',
  optedOut: 'bad',
  'optOut/reply': 'bad',
  'optOut/tag': 'bad',
  'optOut/erase': 'bad',
  'optOut/operator': 'bad',
  'optOut/import': 'bad',
  'message/unknown': 'idle',
  unknown: 'warn',
  lost: 'warn',
};

const REFUSED = 400;

function toneOfEntry(entry: TimelineEntry): Tone {
  if (entry.kind === 'gap') return 'warn';
  if (entry.kind === 'call' && entry.status !== null) return entry.status >= REFUSED ? 'bad' : 'idle';
  return TONES[`${entry.kind}/${entry.code}`] ?? TONES[entry.code] ?? 'idle';
}

export function lookOf(entry: TimelineEntry): { readonly tone: Tone; readonly icon: ReactNode } {
  const Icon = ICONS[entry.kind];
  return { tone: toneOfEntry(entry), icon: <Icon size={14} stroke={1.8} /> };
}
