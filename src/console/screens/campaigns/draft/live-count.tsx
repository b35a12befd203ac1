// The people that the draft would reach, counted while it is edited, and why the others are left out.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../api/client.ts';
import { useCodeWords } from '../../../app/code-words.ts';
import { useFormat } from '../../../format/use-format.ts';
import { Facts } from '../../../parts/page.tsx';
import { Reason } from '../../../parts/reason/reason.tsx';
import { ErrorState, LoadingLines } from '../../../parts/states.tsx';
import { Chip } from '../../../parts/status.tsx';
import classes from '../campaigns.module.css';
import { useProblemWords } from './problem-words.ts';

type Counted = Output<'POST /campaign-drafts/audience'>;
type Audience = NonNullable<Counted['audience']>;

interface Props {
  /** Null: the text is no mapping, so nothing is counted. */
  readonly counted: Counted | undefined | null;
  readonly error: Error | null;
  /** The figures are those of the draft before the last edit. */
  readonly isOld: boolean;
  /** A field of the form shows the problem. */
  hasField(problem: Counted['problems'][number]): boolean;
  onRetry(): void;
}

export function LiveCount({ counted, error, isOld, hasField, onRetry }: Props) {
  const wordsOf = useProblemWords();
  const { t } = useTranslation(['campaign-form', 'campaigns']);
  if (counted === null) return <Text size="sm">{t('count.unreadable')}</Text>;
  if (error !== null && !isOld) return <ErrorState error={error} onRetry={onRetry} />;
  if (counted === undefined) return <LoadingLines />;
  const { audience } = counted;
  const problems = counted.problems.filter((problem) => !hasField(problem));
  return (
    <div className={classes.stack} aria-busy={isOld} data-old={isOld}>
      <div role="status">
        {audience === null ? (
          <Text size="sm">{t(problems.length === 0 ? 'count.blockedFields' : 'count.blocked')}</Text>
        ) : (
          <Headline audience={audience} isOld={isOld} />
        )}
      </div>
      {audience !== null && <Figures audience={audience} />}
      {problems.length > 0 && (
        <div>
          <h3 className={classes.subtitle}>{t('count.problems')}</h3>
          <ul className={classes.problems}>
            {problems.map((problem) => (
              <li key={`${problem.path} ${problem.message}`}>
                {problem.path === null ? (
                  <em>{t('count.elsewhere')}</em>
                ) : (
                  problem.path !== '' && <PlaceOf path={problem.path} />
                )}{' '}
                {wordsOf(problem)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** Keys of a part of the audience that the form names. */
const NAMED: ReadonlySet<string> = new Set([
  'source',
  'number',
  'tags',
  'channel',
  'pipeline',
  'stage',
  'status',
]);

/** The part of the campaign in words, and its place as the YAML names it. */
function PlaceOf({ path }: { readonly path: string }) {
  const { t, i18n } = useTranslation(['campaigns', 'campaign-form']);
  const [key = '', ...inner] = path.split(/[.[\]]+/).filter((part) => part !== '');
  const names = inner.map((part) =>
    key === 'audience' && /^\d+$/.test(part)
      ? t('campaign-form:draft.part', { number: Number(part) + 1 })
      : NAMED.has(part)
        ? t(`campaign-form:draft.${part}` as 'campaign-form:draft.source')
        : null,
  );
  const isNamed = i18n.exists(`campaigns:rules.${key}`);
  const rule = isNamed ? t(`rules.${key}` as 'rules.flow') : null;
  if (rule !== null && names.every((name) => name !== null)) return `${[rule, ...names].join(', ')}:`;
  return (
    <>
      {rule !== null && `${rule}, `}
      <code>{path}</code>:
    </>
  );
}

export function Headline({ audience, isOld }: { readonly audience: Audience; readonly isOld: boolean }) {
  const { t } = useTranslation(['campaign-form', 'campaigns']);
  const format = useFormat();
  const { eligible, estimate, isMore, isComplete } = audience;
  const members = format.count(estimate?.eligible ?? eligible);
  const how = estimate !== null ? 'roughly' : isMore ? 'atLeast' : 'exact';
  return (
    <>
      <div className={classes.headline}>{t(`count.${how}`, { members })}</div>
      <Text size="sm" c="dimmed">
        {isOld
          ? t('count.counting')
          : estimate !== null || !isComplete
            ? t('count.partly', { read: format.count(audience.read) })
            : t('count.complete')}
      </Text>
    </>
  );
}

function Figures({ audience }: { readonly audience: Audience }) {
  const codeWords = useCodeWords();
  const { t } = useTranslation(['campaign-form', 'campaigns']);
  const format = useFormat();
  const { found, read, people, excluded, controlGroup, eligible, isMore, parts, calls } = audience;
  return (
    <>
      <Facts
        facts={[
          [
            t('count.found'),
            isMore ? t('count.orMore', { found: format.count(found) }) : format.count(found),
          ],
          ...(read === found ? [] : ([[t('count.read'), format.count(read)]] as const)),
          [t('campaigns:plan.people'), format.count(people)],
          [t('campaigns:plan.control'), format.count(controlGroup)],
          [t('campaigns:plan.eligible'), format.count(eligible)],
        ]}
      />
      <div>
        <h3 className={classes.subtitle}>{t('campaigns:plan.exclusions')}</h3>
        {excluded.length === 0 ? (
          <Text size="sm">{t('count.nobodyOut')}</Text>
        ) : (
          <ul className={classes.codes} aria-label={t('campaigns:plan.exclusions')}>
            {excluded.map(({ code, members }) => (
              <li key={code}>
                <span className={classes.code}>{codeWords(code) ?? code}</span>
                <span className={classes.number}>{format.count(members)}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div>
        <h3 className={classes.subtitle}>{t('count.parts')}</h3>
        <ul className={classes.codes}>
          {parts.map(({ part, from, basis, read: entries, found: all, readAt, note }) => (
            <li key={String(part)}>
              <Chip tone={basis === 'all' ? 'good' : basis === 'none' ? 'bad' : 'warn'}>
                {part === null
                  ? t('count.numbers')
                  : t('count.part', {
                      number: part + 1,
                      from: t(`draft.kind.${from === 'numbers' ? 'source' : from}`),
                    })}
              </Chip>
              <span className={classes.code}>
                {t(`count.basis.${basis}`, { read: format.count(entries), found: format.count(all) })}
                {readAt !== null && ` ${t('count.readAt', { at: format.clock(readAt) })}`}
                {note !== null && <Reason code={note.code} reason={note.reason} params={note.params} />}
              </span>
            </li>
          ))}
        </ul>
        <Text size="xs" c="dimmed" mt="xs">
          {t('count.calls', { count: calls })}
        </Text>
      </div>
    </>
  );
}
