// One sync: what it does now, its runs, and the run that was chosen.
import { Button } from '@mantine/core';
import { IconPencil, IconUpload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { OperatorError } from '../../../operator/error.ts';
import { useMay } from '../../api/session.tsx';
import { useCall, usePages } from '../../api/use-call.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { LaneChoice } from '../../parts/lane/lane-choice.tsx';
import { Facts, Page, Section } from '../../parts/page.tsx';
import { ScreenLink } from '../../parts/screen-link.tsx';
import { ErrorState } from '../../parts/states.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import { SyncActions } from './actions.tsx';
import type { Progress, SyncEntry } from './data.ts';
import { DryRunPanel } from './dry-run.tsx';
import { EditSync } from './edit/edit-sync.tsx';
import { ReplaceExport } from './edit/replace-export.tsx';
import { ActiveRun } from './run/active-run.tsx';
import { FixRejected } from './run/fix-rejected.tsx';
import { RunReport } from './run/run-report.tsx';
import { RunRows } from './run/run-rows.tsx';
import { RunsTable } from './run/runs-table.tsx';

type State = Progress['state'] | SyncEntry['state'];

const MODES = ['upsert', 'insert', 'update', 'mirror'] as const;

/** The counts of a run move with every batch, which no change announces. */
const EVERY_MS = 3000;

export function SyncDetail({ sync }: { readonly sync: string }) {
  const { t } = useTranslation('syncs');
  const [{ run: chosen, plan, view }, change] = useUrlState();
  const mayReplace = useMay('editor');
  const progress = useCall('GET /syncs/{sync}/progress', { sync }, { everyMs: EVERY_MS });
  const all = usePages('GET /syncs', { limit: 1000 }, 'syncs', { cursor: 'after' });
  const entry = all.rows.find((each) => each.sync === sync);
  const neverRan = progress.error instanceof OperatorError && progress.error.code === 'NO_RUN';
  const failure = neverRan ? null : (all.error ?? progress.error);
  const canFix = useMay('operator') && entry?.source.type === 'csv';
  // The list knows the state while the progress is still asked for.
  const state = progress.data?.state ?? (neverRan ? 'idle' : (entry?.state ?? null));
  const run = chosen ?? progress.data?.progress?.run ?? null;
  return (
    <Page
      title={sync}
      trail={[<ScreenLink key="syncs" to="syncs" />]}
      lead={
        entry && <About entry={entry} state={state} hasFailed={progress.data?.end?.status === 'failed'} />
      }
      actions={
        <>
          {mayReplace && entry?.source.uploaded === true && (
            <Button
              variant="default"
              leftSection={<IconUpload size={14} aria-hidden />}
              onClick={() => change({ view: 'replace' }, { replace: false })}
            >
              {t('replace.open')}
            </Button>
          )}
          {mayReplace && entry !== undefined && (
            <Button
              variant="default"
              leftSection={<IconPencil size={14} aria-hidden />}
              onClick={() => change({ view: 'edit' }, { replace: false })}
            >
              {t('edit.open')}
            </Button>
          )}
          <SyncActions sync={sync} account={entry?.account ?? ''} state={state} />
        </>
      }
    >
      {failure !== null && progress.data === undefined && (
        <ErrorState error={failure} onRetry={() => void progress.refetch()} />
      )}
      {view === 'replace' && mayReplace && entry?.source.uploaded === true && <ReplaceExport sync={sync} />}
      {view === 'edit' && mayReplace && entry !== undefined && <EditSync entry={entry} />}
      {view === 'fix' && canFix && run !== null && <FixRejected sync={sync} run={run} />}
      {plan !== undefined && <DryRunPanel plan={plan} />}
      {(neverRan || progress.data !== undefined) && (
        <ActiveRun sync={sync} progress={neverRan ? null : (progress.data ?? null)} />
      )}
      {!neverRan && (
        <>
          <RunsTable sync={sync} openRun={run} waits={state === 'waiting'} />
          {run !== null && <RunReport sync={sync} run={run} canFix={canFix} />}
          {run !== null && <RunRows sync={sync} run={chosen ?? null} />}
        </>
      )}
      {entry !== undefined && (
        <Section title={t('facts.source')}>
          <FactsOf entry={entry} />
        </Section>
      )}
    </Page>
  );
}

interface AboutProps {
  readonly entry: SyncEntry;
  readonly state: State | null;
  /** How the last run ended. */
  readonly hasFailed: boolean;
}

function About({ entry, state, hasFailed }: AboutProps) {
  const { t } = useTranslation('syncs');
  const { schedule } = entry;
  return (
    <>
      {hasFailed && state === 'ended' ? t('runStatus.failed') : t(`state.${state ?? entry.state}`)}
      {schedule !== null && schedule.next !== null && (
        <>
          {' · '}
          {t('list.next')} <Time at={schedule.next} />
        </>
      )}
    </>
  );
}

function FactsOf({ entry }: { readonly entry: SyncEntry }) {
  const { t } = useTranslation('syncs');
  const { sync, source, mapping, mode, lane, account, schedule } = entry;
  const known = MODES.find((each) => each === mode);
  return (
    <Facts
      facts={[
        [
          t('facts.source'),
          <span key="source">
            {`${source.name} (${source.type})`}
            {source.type === 'csv' && !source.uploaded && (
              <div className={textStyles.small}>{t('facts.notUploaded')}</div>
            )}
          </span>,
        ],
        [t('facts.mapping'), mapping],
        [t('facts.mode'), known === undefined ? mode : t(`facts.modes.${known}`)],
        [t('facts.lane'), <LaneChoice key="lane" sync={sync} lane={lane} />],
        [t('facts.account'), account],
        [
          t('facts.schedule'),
          schedule === null ? t('facts.none') : `${schedule.cron.join(', ')} · ${schedule.timeZone}`,
        ],
      ]}
    />
  );
}
