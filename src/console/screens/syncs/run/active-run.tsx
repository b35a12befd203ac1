// How far the active run is, and what is wrong with it.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../format/use-format.ts';
import { useNow } from '../../../format/use-now.ts';
import { Section } from '../../../parts/page.tsx';
import { RunProgress } from '../../../parts/progress.tsx';
import { PauseText } from '../../../parts/reason/pause-text.tsx';
import { EmptyState } from '../../../parts/states.tsx';
import { Status } from '../../../parts/status.tsx';
import textStyles from '../../../parts/text.module.css';
import { BADGE_OF, type Progress } from '../data.ts';
import classes from '../syncs.module.css';

/** Nothing is shown for a run that has ended well: the runs below say it. */
export function ActiveRun({ sync, progress }: { readonly sync: string; readonly progress: Progress | null }) {
  const { t } = useTranslation('syncs');
  const format = useFormat();
  const now = useNow();
  if (progress === null)
    return (
      <Section title={t('active.title')}>
        <EmptyState title={t('list.never')} text={t('active.neverRan')} />
      </Section>
    );
  const { state, progress: run, trouble, eta, end } = progress;
  if (end !== null) {
    if (end.status !== 'failed') return null;
    return (
      <Section title={t('active.title')}>
        <p className={classes.notice} data-tone="bad">
          {t('active.failed', { message: end.message ?? '' })}
        </p>
      </Section>
    );
  }
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
  const paused = run?.paused ?? null;
  return (
    <Section title={t('active.title')} actions={<Status of={BADGE_OF[state]} label={t(`state.${state}`)} />}>
      <div className={classes.stack}>
        {(run === null || state === 'waiting') && (
          <p className={classes.notice}>{t(state === 'waiting' ? 'active.waiting' : 'active.noWorker')}</p>
        )}
        {run !== null && (
          <>
            <div className={textStyles.small}>
              {t(`phase.${run.phase}`, { rows: format.count(run.read) })}
            </div>
            <RunProgress
              label={sync}
              done={run.phase === 'planning' ? run.read : run.done}
              total={totalOf(run)}
              parts={[
                { name: t('outcome.created'), count: run.created, tone: 'good' },
                { name: t('outcome.updated'), count: run.updated, tone: 'info' },
                { name: t('outcome.failed'), count: run.failed, tone: 'bad' },
                { name: t('outcome.unknown'), count: run.unknown, tone: 'warn' },
              ]}
              eta={eta === null ? null : at(eta.seconds)}
              range={
                eta === null || eta.minSeconds === eta.maxSeconds
                  ? null
                  : [at(eta.minSeconds), at(eta.maxSeconds)]
              }
              isPaused={paused !== null || state === 'waiting'}
            />
          </>
        )}
        {(state === 'interrupted' || state === 'unknown') && (
          <p className={classes.notice}>{t('active.interrupted')}</p>
        )}
        {paused !== null && (
          <p className={classes.notice} data-tone={paused.code === undefined ? 'warn' : 'bad'}>
            <PauseText pause={paused} />
          </p>
        )}
        {trouble !== null && (
          <p className={classes.notice} data-tone="bad">
            {t('active.trouble', { trouble })}
          </p>
        )}
      </div>
    </Section>
  );
}

function totalOf(run: NonNullable<Progress['progress']>): number | null {
  if (run.phase === 'opening' || run.phase === 'preparing') return null;
  if (run.phase !== 'planning') return run.total;
  return run.readShare === null || run.readShare === 0 ? null : Math.round(run.read / run.readShare);
}
