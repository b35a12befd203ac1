// What the doctor found: accounts, tokens, names, sources, Temporal and ledger.
import { Button } from '@mantine/core';
import { IconStethoscope } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DoctorReport } from '../../../operator/contract/settings.ts';
import { useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { useFormat } from '../../format/use-format.ts';
import listStyles from '../../parts/list.module.css';
import { Section } from '../../parts/page.tsx';
import { Reason, useSentence } from '../../parts/reason/reason.tsx';
import { EmptyState, ErrorState, Loaded, LoadingLines } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import classes from './settings.module.css';

type Group = DoctorReport['groups'][number];
type Finding = Pick<Group['findings'][number], 'code' | 'reason' | 'params'>;

const STATUS_OF = { ok: 'ok', warning: 'degraded', problem: 'failed', unchecked: 'skipped' } as const;
const SUMMARY = ['problems', 'warnings', 'ok', 'unchecked', 'calls'] as const;

export function Doctor() {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const may = useMay('operator');
  const last = useCall('GET /doctor', {});
  const [report, setReport] = useState<DoctorReport | null>(null);
  const run = useCommand('POST /doctor', {
    done: ({ verdict }) => t('doctor.done', { verdict: t(`doctor.verdict.${verdict}`) }),
    // Shown at once, before the last report is read again.
    onDone: (found) => {
      setReport(found);
      void last.refetch();
    },
    showsError: true,
  });
  const newest = newerOf(report, last.data?.report ?? null);
  return (
    <>
      <Section
        title={t('doctor.title')}
        about={t('doctor.about')}
        actions={
          may && (
            <Button
              leftSection={<IconStethoscope size={14} aria-hidden />}
              loading={run.isPending}
              title={t('doctor.runHelp')}
              onClick={() => run.run({})}
            >
              {t('doctor.run')}
            </Button>
          )
        }
        flush
      >
        {run.isPending && (
          <div role="status">
            <EmptyState title={t('doctor.running')} text={t('doctor.runHelp')} />
            {newest === null && <LoadingLines />}
          </div>
        )}
        {run.error !== null && <ErrorState error={run.error} onRetry={() => run.run({})} />}
        <Loaded of={last}>
          {() =>
            newest === null ? (
              !run.isPending &&
              run.error === null && (
                <EmptyState
                  title={t('doctor.none')}
                  text={`${t('doctor.noneText')} ${t('doctor.runHelp')}`}
                />
              )
            ) : (
              <ul className={listStyles.list} data-dense="true">
                <li className={classes.row}>
                  <Status
                    of={newest.verdict === 'ok' ? 'ok' : 'failed'}
                    label={
                      newest.verdict === 'ok' && newest.summary.unchecked > 0
                        ? t('doctor.partly', { count: newest.summary.unchecked })
                        : t(`doctor.verdict.${newest.verdict}`)
                    }
                  />
                  <span className={textStyles.small}>
                    {SUMMARY.filter((name) => newest.summary[name] > 0)
                      .map((name) => `${t(`doctor.summary.${name}`)}: ${format.count(newest.summary[name])}`)
                      .join(' · ')}
                    {' · '}
                    {t('doctor.at')} <Time at={newest.at} />
                  </span>
                </li>
              </ul>
            )
          }
        </Loaded>
      </Section>
      {newest?.groups.map((group) => (
        <Section
          key={`${group.of} ${group.account}`}
          title={t(`doctor.group.${group.of}`, { account: group.account ?? '' })}
          flush
        >
          <Findings group={group} />
        </Section>
      ))}
    </>
  );
}

/** Somebody else may have run the doctor since. */
function newerOf(own: DoctorReport | null, last: DoctorReport | null): DoctorReport | null {
  if (own === null || last === null) return own ?? last;
  return Date.parse(last.at) > Date.parse(own.at) ? last : own;
}

/** What needs attention first. What is in order is folded. */
const LEVELS = ['problem', 'warning', 'unchecked'] as const;

function Findings({ group: { findings, calls } }: { readonly group: Group }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const passed = findings.filter(({ level }) => level === 'ok');
  const open = LEVELS.flatMap((wanted) => findings.filter(({ level }) => level === wanted));
  return (
    <>
      <FindingList findings={open} />
      {passed.length > 0 && (
        <details className={classes.fold}>
          <summary>
            <Status of="ok" label={t('doctor.passed', { count: passed.length })} />
          </summary>
          <FindingList findings={passed} />
        </details>
      )}
      {calls !== undefined && calls.length > 0 && (
        <details className={classes.fold}>
          <summary>{t('doctor.calls', { count: calls.length })}</summary>
          <pre className={classes.calls}>
            {calls
              .map(({ method, path, status, code, ms, anonymous }) =>
                [
                  method,
                  path,
                  status ?? t('doctor.noAnswer'),
                  code,
                  t('doctor.ms', { ms: format.count(Math.round(ms)) }),
                  anonymous ? t('doctor.anonymous') : null,
                ]
                  .filter((word) => word !== null)
                  .join('  '),
              )
              .join('\n')}
          </pre>
        </details>
      )}
    </>
  );
}

function FindingList({ findings }: Pick<Group, 'findings'>) {
  const { t } = useTranslation('settings');
  return (
    <ul className={listStyles.list} data-dense="true">
      {findings.map(({ level, check, code, reason, params, hint }) => (
        <li key={`${check} ${reason}`} className={classes.finding}>
          <Status of={STATUS_OF[level]} label={t(`doctor.level.${level}`)} />
          <div>
            <div>
              <span className={classes.name}>{check}</span>{' '}
              <FindingText code={code} reason={reason} params={params} />
            </div>
            {hint !== undefined && (
              <div className={classes.warn}>
                <FindingText code={hint.code} reason={hint.reason} params={hint.params} />
              </div>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The doctor's own sentences need no code beside them. Others are notes about campaigns, and errors. */
function FindingText({ code, reason, params }: Finding) {
  const sentence = useSentence('doctor')(code, params);
  return sentence ?? <Reason code={code} reason={reason} params={params} />;
}
