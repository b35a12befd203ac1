// An entry of the timeline as one sentence in the viewer's language.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { TimelineEntry } from '../../../operator/contract/people-timeline.ts';

type Kind = TimelineEntry['kind'];
type Entry<K extends Kind> = Extract<TimelineEntry, { kind: K }>;

/** Key under `entry.<kind>` in the catalog. */
type Keys = { readonly [K in Kind]: (entry: Entry<K>) => string };

const REFUSED = 400;

const KEYS: Keys = {
  event: ({ code }) => code,
  row: ({ code, row }) => (row === 0 ? 'left' : code),
  finding: ({ code, likely }) => (likely ? 'likely' : code),
  contact: ({ code }) => code,
  card: ({ code }) => code,
  effect: ({ code }) => code,
  call: ({ status }) => (status === null ? 'lost' : status < REFUSED ? 'answered' : 'refused'),
  campaign: ({ code }) => code,
  conversation: ({ code }) => (['open', 'pending', 'closed'].includes(code) ? code : 'other'),
  message: ({ code }) => code,
  delivery: ({ code }) =>
    ['queued', 'sent', 'server_ack', 'delivered', 'read', 'failed'].includes(code) ? code : 'other',
  gap: ({ conversation }) => (conversation === null ? 'list' : 'conversation'),
  optOut: ({ code }) => code,
};

export function useSentence(): (entry: TimelineEntry) => string {
  const { t, i18n } = useTranslation('people');
  return (entry) => {
    const find = KEYS[entry.kind] as (entry: TimelineEntry) => string;
    const key = `entry.${entry.kind}.${find(entry)}`;
    // A newer server may send codes that this console does not know.
    if (!i18n.exists(`people:${key}`))
      return t('entry.unlisted', { kind: t(`timeline.kind.${entry.kind}`), code: entry.code });
    // The key was made from the entry, and its placeholders are fields of the entry.
    return (t as unknown as (key: string, values: object) => string)(
      key,
      valuesOf(entry, t, (name) => i18n.exists(name)),
    );
  };
}

/** Fields of the entry, in words where the catalog has them. */
function valuesOf(
  entry: TimelineEntry,
  t: TFunction<'people'>,
  exists: (key: string) => boolean,
): Readonly<Record<string, unknown>> {
  const word = (group: 'action' | 'what', name: string) =>
    exists(`people:${group}.${name}`) ? t(`${group}.${name}` as 'action.lead') : name;
  switch (entry.kind) {
    case 'event':
      return Object.assign({}, entry, { action: word('action', entry.action) });
    case 'effect':
      return Object.assign({}, entry, { what: word('what', entry.what) });
    case 'finding':
      return Object.assign({}, entry, { field: entry.column ?? entry.field });
    default:
      return Object.assign({}, entry);
  }
}
