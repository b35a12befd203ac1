// Why members were left out, skipped or failed, with the way to them and to a retry.
import { Anchor, Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';
import { useCodeWords } from '../../app/code-words.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { useFormat } from '../../format/use-format.ts';
import { Section } from '../../parts/page.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Chip, type Tone } from '../../parts/status.tsx';
import textStyles from '../../parts/text.module.css';
import classes from './campaigns.module.css';
import { byCount, type Report, TOPICS } from './data.ts';
import { isPassing } from './passing.ts';
import { useResolve } from './use-resolve.tsx';

interface Outcome {
  readonly state: 'excluded' | 'holdout' | 'skipped' | 'failed' | 'unknown';
  readonly code: string | null;
  readonly count: number;
  readonly tone: Tone;
}

export function Outcomes({ report }: { readonly report: Report }) {
  const codeWords = useCodeWords();
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const [, setUrl] = useUrlState();
  const may = useMay('operator');
  const outcomes = outcomesOf(report);
  return (
    <Section title={t('outcomes.title')} about={t('outcomes.about')}>
      {outcomes.length === 0 ? (
        <EmptyState title={t('outcomes.none')} />
      ) : (
        <ul className={classes.codes}>
          {outcomes.map(({ state, code, count, tone }) => (
            <li key={`${state} ${code}`}>
              <Chip tone={tone}>{t(`outcomes.${state}`)}</Chip>
              <span className={classes.code} title={code ?? undefined}>
                {codeWords(code) ?? code}
                {state === 'failed' && code !== null && (
                  <span className={`${classes.stacked} ${textStyles.small}`}>
                    {t(isPassing(code) ? 'outcomes.passing' : 'outcomes.lasting')}
                  </span>
                )}
              </span>
              <span className={classes.number}>{format.count(count)}</span>
              <Group gap="xs">
                <Anchor
                  component="button"
                  type="button"
                  size="xs"
                  onClick={() => setUrl({ tab: 'members', state, code }, { replace: false })}
                >
                  {t(state === 'unknown' && may ? 'action.resolveEach' : 'outcomes.show')}
                </Anchor>
                {state === 'failed' && code !== null && <Retry report={report} code={code} count={count} />}
              </Group>
              {state === 'unknown' && <Resolve report={report} />}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function outcomesOf({ total }: Report): Outcome[] {
  const codes = (state: 'excluded' | 'skipped' | 'failed', tone: Tone) =>
    byCount(total[state]).map(([code, count]) => ({ state, code, count, tone }));
  return [
    ...(total.unknown === 0
      ? []
      : [{ state: 'unknown' as const, code: null, count: total.unknown, tone: 'warn' as const }]),
    ...codes('failed', 'bad'),
    ...codes('skipped', 'idle'),
    ...codes('excluded', 'idle'),
    ...(total.holdout === 0
      ? []
      : [{ state: 'holdout' as const, code: null, count: total.holdout, tone: 'info' as const }]),
  ];
}

function Retry({
  report,
  code,
  count,
}: {
  readonly report: Report;
  readonly code: string;
  readonly count: number;
}) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const may = useMay('operator');
  const retry = useCommand('POST /campaigns/{campaign}/retry', {
    topics: TOPICS,
    done: ({ members }) => t('action.retried', { count: members }),
  });
  if (!may || !['running', 'finished'].includes(report.state)) return null;
  const ask = () =>
    retry.ask((reason) => ({ campaign: report.run, codes: [code], reason }), {
      title: t('action.retryTitle', { code }),
      effects: t('action.retryEffect', { members: format.count(count) }),
      verb: t('outcomes.retry'),
      reason: 'optional',
    });
  return (
    <Button size="compact-xs" variant="default" loading={retry.isPending} onClick={ask}>
      {t('outcomes.retry')}
    </Button>
  );
}

/** An operator says what happened: nobody else can know. First one by one, then all that are left. */
function Resolve({ report }: { readonly report: Report }) {
  const { t } = useTranslation('campaigns');
  const may = useMay('operator');
  const { choices, ask, isPending } = useResolve(report.run, report.state !== 'cancelled');
  if (!may) return null;
  return (
    <ul className={`${classes.notes} ${classes.choices}`} aria-label={t('action.resolveTitle')}>
      {choices.map((choice) => (
        <li key={choice.verb}>
          <Button
            size="compact-xs"
            variant="default"
            loading={isPending}
            onClick={() => ask(choice, { members: null, count: report.total.unknown })}
          >
            {choice.verb}
          </Button>{' '}
          <span className={textStyles.small}>{choice.effect}</span>
        </li>
      ))}
    </ul>
  );
}
