// Syncs and campaigns that run now, with how far they are.

import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { actorName } from '../../format/actor.ts';
import { useFormat } from '../../format/use-format.ts';
import { useNow } from '../../format/use-now.ts';
import listStyles from '../../parts/list.module.css';
import { RunProgress } from '../../parts/progress.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import textStyles from '../../parts/text.module.css';
import { Rate } from '../../parts/values.tsx';
import type { Overview } from './data.ts';
import classes from './overview.module.css';

type Run = Overview['running'][number];

export function RunningList({ runs, needs }: { readonly runs: readonly Run[] } & Pick<Overview, 'needs'>) {
  const { t } = useTranslation('overview');
  if (runs.length === 0) return <EmptyState title={t('running.none')} text={t('running.noneText')} />;
  return (
    <ul className={listStyles.list}>
      {runs.map((run) => (
        <li key={run.run} className={classes.run}>
          <RunItem
            run={run}
            needsApproval={needs.some((need) => need.kind === 'approval' && need.run === run.run)}
          />
        </li>
      ))}
    </ul>
  );
}

function RunItem({ run, needsApproval }: { readonly run: Run; readonly needsApproval: boolean }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const { kind, name, account, state, done, total, paused, blocked, calls, callsPerMinute, etaSeconds } = run;
  const now = useNow();
  const eta = etaSeconds === null ? null : new Date(now + etaSeconds * 1000).toISOString();
  const isPlanned = state === 'planned';
  const status = isPlanned
    ? needsApproval
      ? 'approval'
      : 'planned'
    : paused !== null
      ? 'paused'
      : blocked !== null
        ? 'blocked'
        : 'running';
  return (
    <>
      <div className={classes.line}>
        <span>
          <Anchor
            component={Link}
            to={kind === 'campaign' ? '/campaigns' : '/syncs'}
            search={{ account, name, run: run.run } as never}
            fw={600}
          >
            {name}
          </Anchor>{' '}
          <span className={textStyles.muted}>{t(`running.kind.${kind}`, { account })}</span>
        </span>
        <Status of={status} />
      </div>
      {isPlanned ? (
        <div>{t('running.planned', { count: total ?? 0, shown: format.count(total ?? 0) })}</div>
      ) : (
        <RunProgress
          label={t('running.progress', { name })}
          done={done}
          total={total}
          eta={eta}
          isPaused={paused !== null}
        />
      )}
      <div className={textStyles.small}>
        {t('running.calls', { count: calls, shown: format.count(calls) })} ·{' '}
        <Rate perMinute={Math.round(callsPerMinute)} />
        {paused !== null &&
          ` · ${t('running.pausedBy', { by: actorName(paused.by) })}${paused.reason && `: ${paused.reason}`}`}
        {blocked !== null && <Reason code={blocked.code} reason={blocked.reason} />}
      </div>
    </>
  );
}
