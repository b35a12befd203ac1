// Everything that happened to a person, newest first, by kind and in pages.
import { Button, Chip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TimelineEntry } from '../../../operator/contract/people-timeline.ts';
import { usePages } from '../../api/use-call.ts';
import { useUrlValue } from '../../app/use-url-state.ts';
import { useFormat } from '../../format/use-format.ts';
import { Section } from '../../parts/page.tsx';
import { EmptyState, ErrorState, LoadingLines } from '../../parts/states.tsx';
import { Timeline } from '../../parts/timeline.tsx';
import { EntryDetails } from './entry-details.tsx';
import { lookOf } from './entry-look.tsx';
import { useSentence } from './entry-sentence.ts';
import classes from './people.module.css';
import type { Who } from './who.ts';

type Kind = TimelineEntry['kind'];

/** In the order in which operators ask for them. A type error here means that the contract has a new kind. */
const KINDS = Object.keys({
  campaign: true,
  event: true,
  row: true,
  finding: true,
  call: true,
  contact: true,
  card: true,
  effect: true,
  conversation: true,
  message: true,
  delivery: true,
  gap: true,
  optOut: true,
} satisfies Record<Kind, true>) as Kind[];

const PAGE = 100;

export function PersonTimeline({ account, person }: Who) {
  const { t } = useTranslation('people');
  const format = useFormat();
  const sentenceOf = useSentence();
  const [kind, setKind] = useUrlValue<string>('kind', '');
  const known = KINDS.find((each) => each === kind);
  const pages = usePages(
    'GET /people/{account}/{person}/timeline',
    known === undefined ? { account, person, limit: PAGE } : { account, person, limit: PAGE, kind: known },
    'entries',
  );
  const { rows, hasMore, isLoading, isLoadingMore, error } = pages;
  return (
    <Section title={t('timeline.title')} about={t('timeline.about', { zone: format.zoneName })} flush>
      <Chip.Group value={known ?? ''} onChange={(value) => setKind(value)}>
        <div className={classes.chips} role="radiogroup" aria-label={t('timeline.filter')}>
          <Chip size="xs" value="">
            {t('timeline.all')}
          </Chip>
          {KINDS.map((each) => (
            <Chip key={each} size="xs" value={each}>
              {t(`timeline.kind.${each}`)}
            </Chip>
          ))}
        </div>
      </Chip.Group>
      {rows.length === 0 ? (
        error !== null ? (
          <ErrorState error={error} onRetry={pages.retry} />
        ) : isLoading ? (
          <LoadingLines lines={6} />
        ) : (
          <EmptyState
            title={t(known === undefined ? 'timeline.none' : 'timeline.noneKind')}
            text={t('timeline.noneText')}
          />
        )
      ) : (
        <>
          <div className={classes.timeline} aria-busy={pages.isRefreshing}>
            <Timeline
              label={t('timeline.title')}
              entries={rows.map((entry) => {
                const { tone, icon } = lookOf(entry);
                return {
                  id: entry.id,
                  at: entry.at,
                  title: sentenceOf(entry),
                  details: <EntryDetails entry={entry} person={person} />,
                  tone,
                  icon,
                };
              })}
            />
          </div>
          {error !== null && <ErrorState error={error} onRetry={pages.retry} />}
          <div className={classes.foot}>
            <span role="status">
              {t('timeline.loaded', { count: rows.length, shown: format.count(rows.length) })}
              {!hasMore && <> · {t('timeline.end')}</>}
            </span>
            {hasMore && (
              <Button variant="default" loading={isLoadingMore} onClick={pages.loadMore}>
                {t('timeline.more')}
              </Button>
            )}
          </div>
        </>
      )}
    </Section>
  );
}
