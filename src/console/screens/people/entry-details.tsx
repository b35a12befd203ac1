// What stands below the sentence of an entry: the reason, facts, and links to where it happened.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LANE_NAMES } from '../../../core/lanes.ts';
import type { TimelineEntry } from '../../../operator/contract/people-timeline.ts';
import { useClient } from '../../api/session.tsx';
import { useFormat } from '../../format/use-format.ts';
import { Reason } from '../../parts/reason/reason.tsx';
import { Masked } from '../../parts/reveal/masked.tsx';
import { PlaceLink, TemporalLink } from './links.tsx';
import classes from './people.module.css';

type Entry<K extends TimelineEntry['kind']> = Extract<TimelineEntry, { kind: K }>;
/** By name; what is null, false or empty is not shown. */
type Facts = Readonly<Record<string, ReactNode>>;

export function EntryDetails({ entry, person }: { readonly entry: TimelineEntry; readonly person: string }) {
  const facts = Object.entries(useFacts(entry, person)).filter(
    ([, fact]) => fact !== null && fact !== false && fact !== '',
  );
  const problem = 'problem' in entry ? entry.problem : null;
  return (
    <>
      {problem !== null && (
        <div className={classes.reason}>
          <Reason code={problem.code} reason={problem.reason || null} params={problem.params} />
        </div>
      )}
      {entry.kind === 'gap' && <div className={classes.reason}>{entry.reason}</div>}
      <div className={classes.facts}>
        {facts.map(([name, fact]) => (
          <span key={name}>{fact}</span>
        ))}
        {entry.workflow !== null && <TemporalLink workflow={entry.workflow} />}
      </div>
    </>
  );
}

const SECOND_MS = 1000;

function useFacts(entry: TimelineEntry, person: string): Facts {
  const { t } = useTranslation('people');
  const { t: common } = useTranslation('common');
  const format = useFormat();
  const reveal = useReveal(entry, person);
  const { account } = entry;
  const time = (ms: number) =>
    ms < SECOND_MS ? t('fact.ms', { ms: format.count(ms) }) : format.duration(ms / SECOND_MS);
  const event = (id: string) => (
    <PlaceLink to="/events" search={{ account, event: id }}>
      {t('fact.event', { event: id })}
    </PlaceLink>
  );
  const sync = ({ run, sync: name, row }: Pick<Entry<'row'>, 'run' | 'sync' | 'row'>) => (
    <PlaceLink to="/syncs" search={{ account, name, run }}>
      {row === 0 ? t('fact.run', { run }) : t('fact.runRow', { run, row })}
    </PlaceLink>
  );
  const conversation = (id: number | null) =>
    id === null ? null : (
      <PlaceLink to="/conversations" search={{ account, conversation: String(id) }}>
        {t('fact.conversation', { conversation: id })}
      </PlaceLink>
    );
  const list = (items: readonly string[]) => items.join(', ');
  switch (entry.kind) {
    case 'event':
      return {
        event: event(entry.event),
        step: entry.step && t('fact.step', { step: entry.step }),
        leftOut:
          entry.warnings.length > 0 &&
          t('fact.leftOut', { fields: list(entry.warnings.map(({ field }) => field)) }),
      };
    case 'row':
      return {
        run: sync(entry),
        into:
          entry.code === 'merged' &&
          (entry.into === null ? t('fact.intoBefore') : t('fact.intoRow', { row: entry.into })),
        step: entry.step && t('fact.step', { step: entry.step }),
        contact: entry.created && entry.code !== 'created' && t('fact.contactCreated'),
        card: entry.cardCreated && t('fact.cardCreated'),
        tries: entry.tries > 1 && t('fact.calls', { count: entry.tries }),
      };
    case 'finding':
      return {
        run: sync(entry),
        column: entry.column !== null && entry.likely && t('fact.column', { column: entry.column }),
        value: entry.value !== null && (
          <Masked value={entry.value} what={t('fact.value')} reveal={() => reveal('value')} />
        ),
        otherValue: entry.otherValue !== null && (
          <>
            {t('fact.otherValue', { row: entry.otherRow ?? '?' })}{' '}
            <Masked
              value={entry.otherValue}
              what={t('fact.otherValue', { row: entry.otherRow ?? '?' })}
              reveal={() => reveal('otherValue')}
            />
          </>
        ),
      };
    case 'contact':
      return {
        contact: entry.contact !== null && t('fact.contact', { contact: entry.contact }),
        fields: entry.fields.length > 0 && t('fact.fields', { fields: list(entry.fields) }),
        tags: entry.tags.length > 0 && t('fact.tags', { tags: list(entry.tags) }),
        missingTags: entry.missingTags.length > 0 && t('fact.missingTags', { tags: list(entry.missingTags) }),
        createdBy: entry.createdBy !== null && t('fact.createdBy', { sync: entry.createdBy }),
      };
    case 'card':
      return { stage: entry.stage !== null && t('fact.stage', { stage: entry.stage }) };
    case 'effect':
      return { run: t('fact.run', { run: entry.run }) };
    case 'call':
      return {
        lane: t('fact.lane', { lane: common(`lane.${LANE_NAMES[entry.lane - 1] ?? 'backfill'}`) }),
        waited: t('fact.waited', { time: time(entry.waitMs) }),
        took: t('fact.took', { time: time(entry.tookMs) }),
        request: entry.requestId !== null && t('fact.request', { id: entry.requestId }),
      };
    case 'campaign':
      return {
        run: (
          <PlaceLink
            to="/campaigns"
            search={{ account, name: entry.campaign, run: entry.run, member: String(entry.member) }}
          >
            {t('fact.run', { run: entry.run })}
          </PlaceLink>
        ),
        wave: entry.wave !== null && t('fact.wave', { wave: entry.wave }),
        ticket: entry.ticket !== null && t('fact.ticket', { ticket: entry.ticket }),
      };
    case 'conversation':
      return {
        conversation: conversation(entry.conversation),
        channel: entry.channel,
        chatbot: entry.chatbot === true && t('fact.chatbot'),
        user: entry.user !== null && t('fact.user', { user: entry.user }),
        lastMessage: (
          <>
            {t('fact.lastMessage')}{' '}
            <Masked value="•••" what={t('fact.lastMessage')} reveal={() => reveal('lastMessage')} />
          </>
        ),
      };
    case 'message':
      return {
        conversation: conversation(entry.conversation),
        status: entry.status !== null && t('fact.status', { status: entry.status }),
      };
    case 'delivery':
      return {
        event: event(entry.event),
        conversation: conversation(entry.conversation),
        message: t('fact.message', { message: entry.message }),
        checks: t('fact.checks', { count: entry.checks }),
      };
    case 'gap':
      return { conversation: conversation(entry.conversation), code: <code>{entry.code}</code> };
    case 'optOut':
      return {};
  }
}

/** Lane 1 is the most urgent. */
/** The newest entries of a kind that one reveal reads. */
const REVEALED = 1000;

/** Reads the entry again with plain values, which the audit log keeps. */
function useReveal({ account, kind, id, at }: TimelineEntry, person: string) {
  const { t } = useTranslation('people');
  const client = useClient();
  return async (field: string): Promise<string> => {
    const { entries } = await client.call('GET /people/{account}/{person}/timeline', {
      account,
      person,
      kind,
      limit: REVEALED,
      unmask: true,
    });
    const entry = entries.find((each) => each.id === id && each.at === at);
    if (entry === undefined) throw new Error(t('timeline.revealGone', { count: REVEALED }));
    return String((entry as unknown as Readonly<Record<string, unknown>>)[field] ?? '–');
  };
}
