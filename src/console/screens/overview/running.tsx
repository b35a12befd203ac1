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
import { Rate, Time } from '../../parts/values.tsx';
import type { Overview } from './data.ts';
import classes from './overview.module.css';

type Run = Overview['running'][number];
type Start = Overview['starts'][number];

interface Props extends Pick<Overview, 'needs'> {
  readonly runs: readonly Run[];
  /** Of which no worker has made a run yet. */
  readonly starts: readonly Start[];
}

export function RunningList({ runs, starts, needs }: Props) {
  const { t } = useTranslation('overview');
  if (runs.length + starts.length === 0)
    return <EmptyState title={t('running.none')} text={t('running.noneText')} />;
  return (
    <ul className={listStyles.list}>
      {starts.map((start) => (
        <li key={`${start.kind} ${start.account} ${start.name}`} className={classes.run}>
          <StartItem start={start} />
        </li>
      ))}
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

interface WorkNameProps {
  readonly to: '/syncs' | '/campaigns';
  readonly kind: Run['kind'] | Start['kind'];
  readonly search: { readonly account: string; readonly name: string; readonly run?: string };
}

/** A link to the work, with what it is and whose. */
function WorkName({ to, kind, search }: WorkNameProps) {
  const { t } = useTranslation('overview');
  const { account, name } = search;
  return (
    <span>
      <Anchor component={Link} to={to} search={search as never} fw={600}>
        {name}
      </Anchor>{' '}
      <span className={textStyles.muted}>{t(`running.kind.${kind}`, { account })}</span>
    </span>
  );
}

function StartItem({ start }: { readonly start: Start }) {
  const { t } = useTranslation('overview');
  const { kind, account, name, since } = start;
  return (
    <>
      <div className={classes.line}>
        <WorkName to={kind === 'sync' ? '/syncs' : '/campaigns'} kind={kind} search={{ account, name }} />
        <Status of="waiting" label={t('running.waitsFor.worker')} />
      </div>
      <div className={textStyles.small}>
        {t('running.started')} <Time at={since} as="ago" />
      </div>
    </>
  );
}

function RunItem({ run, needsApproval }: { readonly run: Run; readonly needsApproval: boolean }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const {
    kind,
    name,
    account,
    state,
    done,
    total,
    paused,
    blocked,
    calls,
    callsPerMinute,
    etaSeconds,
    waitsFor,
  } = run;
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
        : waitsFor !== null
          ? 'waiting'
          : 'running';
  return (
    <>
      <div className={classes.line}>
        <WorkName
          to={kind === 'campaign' ? '/campaigns' : '/syncs'}
          kind={kind}
          search={{ account, name, run: run.run }}
        />
        {waitsFor === null ? (
          <Status of={status} />
        ) : (
          <Status of={status} label={t(`running.waitsFor.${waitsFor}`)} />
        )}
      </div>
      {isPlanned ? (
        <div>{t('running.planned', { count: total ?? 0, shown: format.count(total ?? 0) })}</div>
      ) : (
        <RunProgress
          label={t('running.progress', { name })}
          done={done}
          total={total}
          eta={eta}
          isPaused={paused !== null || waitsFor !== null}
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
