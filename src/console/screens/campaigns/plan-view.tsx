// The plan of a run: who it reaches, what it costs, on which days, and what speaks against it.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { useCodeWords } from '../../app/code-words.ts';
import { formatClock } from '../../format/format.ts';
import { useFormat } from '../../format/use-format.ts';
import { Columns, Facts, Section } from '../../parts/page.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { Chip } from '../../parts/status.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import { ApprovalView } from './approval.tsx';
import classes from './campaigns.module.css';
import { byCount, type Plan, sumOf } from './data.ts';

interface Props {
  readonly run: string;
  /** The plan waits for its approval or its start. */
  readonly isWaiting: boolean;
}

export function PlanView({ run, isWaiting }: Props) {
  const { t } = useTranslation('campaigns');
  const plan = useCall('GET /campaigns/{campaign}/plan', { campaign: run });
  return (
    <Loaded of={plan}>
      {({ plan: made }) =>
        made === null ? (
          <Section title={t('run.tab.plan')}>
            <EmptyState title={t('plan.none')} text={t('plan.noneText')} />
          </Section>
        ) : (
          <Made plan={made} isWaiting={isWaiting} />
        )
      }
    </Loaded>
  );
}

function Made({ plan, isWaiting }: { readonly plan: Plan; readonly isWaiting: boolean }) {
  const { t } = useTranslation('campaigns');
  return (
    <Columns
      main={
        <>
          {isWaiting && <ApprovalView plan={plan} />}
          <Calendar plan={plan} />
          <Notes plan={plan} />
          <Sample run={plan.run} />
        </>
      }
      side={
        <>
          <Audience plan={plan} />
          <Section title={t('plan.exclusions')}>
            <Exclusions plan={plan} />
          </Section>
          <Cost plan={plan} />
        </>
      }
    />
  );
}

function Calendar({ plan }: { readonly plan: Plan }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const { days, moreDays, timeZone } = plan;
  const most = Math.max(1, ...days.map(({ members }) => members));
  const clock = (at: string) => formatClock({ language: format.language, zone: timeZone }, Date.parse(at));
  return (
    <Section
      title={t('plan.calendar')}
      about={t(timeZone === format.zoneName ? 'plan.calendarAbout' : 'plan.calendarOther', {
        zone: timeZone,
        yours: format.zoneName,
      })}
    >
      {days.length === 0 ? (
        <EmptyState title={t('burn.empty')} />
      ) : (
        <ol className={classes.calendar} aria-label={t('plan.calendarLabel')}>
          {days.map(({ day, members, startsAt, endsAt }) => (
            <li
              key={day}
              className={classes.day}
              style={{ '--fill': `${Math.round((members / most) * 100)}%` } as React.CSSProperties}
            >
              {format.day(day)}
              <strong>{format.count(members)}</strong>
              <span className={textStyles.muted}>
                {clock(startsAt)}–{clock(endsAt)}
              </span>
            </li>
          ))}
        </ol>
      )}
      {moreDays > 0 && <p className={textStyles.muted}>{t('plan.more', { count: moreDays })}</p>}
    </Section>
  );
}

function Notes({ plan }: { readonly plan: Plan }) {
  const { t } = useTranslation('campaigns');
  const heldUp = useHeldUp(plan);
  const notes = [
    ...plan.problems.map((note) => ({ note, tone: 'bad' as const, kind: t('plan.problem') })),
    ...plan.warnings.map((note) => ({ note, tone: 'warn' as const, kind: t('plan.warning') })),
  ];
  return (
    <Section title={t('plan.notes')}>
      {notes.length === 0 ? (
        t('plan.fine')
      ) : (
        <ul className={classes.notes}>
          {notes.map(({ note, tone, kind }) => (
            <li key={note.code + note.reason}>
              <Chip tone={tone}>{kind}</Chip>{' '}
              {note.code === 'WAVE_HELD_UP' && heldUp !== null ? (
                <>
                  {heldUp} <code>{note.code}</code>
                </>
              ) : (
                <Reason code={note.code} reason={note.reason} params={note.params} />
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** The warning about waves that wait for a few members, in the language of the reader. Null: the listed waves have none. */
function useHeldUp({ waves }: Plan): string | null {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const held = waves.flatMap(({ wave, size, heldUp }, i) =>
    heldUp == null ? [] : [{ wave, size, heldUp, next: waves[i + 1]?.wave ?? null }],
  );
  const [first] = held;
  if (first === undefined) return null;
  const { wave, size, heldUp, next } = first;
  const text = t('plan.heldUp', {
    members: format.count(heldUp.members),
    size: format.count(size),
    wave: format.count(wave),
    zones: heldUp.zones.join(', '),
    what: next === null ? t('plan.heldUpEnd') : t('plan.heldUpNext', { wave: format.count(next) }),
    delay: format.duration(heldUp.delayMs / 1000),
  });
  return held.length === 1 ? text : `${text} ${t('plan.heldUpMore', { count: held.length - 1 })}`;
}

function Audience({ plan }: { readonly plan: Plan }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  return (
    <Section title={t('plan.audience')}>
      <Facts
        facts={[
          [t('plan.rows'), format.count(plan.found)],
          [t('plan.people'), format.count(plan.audience)],
          [t('plan.left'), format.count(sumOf(plan.excluded))],
          [t('plan.control'), format.count(plan.holdout)],
          [t('plan.eligible'), <strong key="eligible">{format.count(plan.eligible)}</strong>],
        ]}
      />
    </Section>
  );
}

function Exclusions({ plan }: { readonly plan: Plan }) {
  const codeWords = useCodeWords();
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const left = byCount(plan.excluded);
  if (left.length === 0) return t('outcomes.none');
  return (
    <Facts facts={left.map(([code, count]) => [codeWords(code) ?? code, format.count(count)] as const)} />
  );
}

function Cost({ plan }: { readonly plan: Plan }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const { triggers, rechecks, lookups, after } = plan.calls;
  const kinds = [
    [t('plan.triggers'), triggers],
    [t('plan.rechecks'), rechecks],
    [t('plan.lookups'), lookups],
    [t('plan.after'), after],
  ] as const;
  return (
    <Section title={t('plan.cost')}>
      <Facts
        facts={[
          [
            t('plan.calls'),
            <strong key="calls">{format.count(triggers + rechecks + lookups + after)}</strong>,
          ],
          ...kinds
            .filter(([, count]) => count > 0)
            .map(([name, count]) => [name, format.count(count)] as const),
          [
            t('plan.pace'),
            t('plan.paceValue', {
              pace: format.count(plan.pacePerMinute),
              calls: format.count(plan.callsPerMinute),
            }),
          ],
          [t('plan.finish'), <Time key="finish" at={plan.finishAt} as="moment" />],
        ]}
      />
    </Section>
  );
}

/** Personal data: it is read only on request, and the audit log keeps that. */
function Sample({ run }: { readonly run: string }) {
  const { t } = useTranslation('campaigns');
  const { t: common } = useTranslation('common');
  const may = useMay('operator');
  const sample = useCommand('POST /campaigns/{campaign}/sample');
  const [shown, setShown] = useState<Output<'POST /campaigns/{campaign}/sample'> | null>(null);
  if (!may) return null;
  return (
    <Section
      title={t('plan.sample')}
      about={t('plan.sampleAbout')}
      actions={
        <Button
          size="xs"
          variant="default"
          loading={sample.isPending}
          title={common('masked.audited')}
          onClick={() => void sample.runAsync({ campaign: run, unmask: true, limit: 5 }).then(setShown)}
        >
          {t('plan.sampleShow')}
        </Button>
      }
    >
      {shown !== null && shown.members.length === 0 && t('plan.sampleNone')}
      {shown !== null && (
        <Facts
          facts={shown.members.map(
            ({ member, number, variables }) =>
              [
                number ?? String(member),
                Object.entries(variables)
                  .map(([name, value]) => `${name}: ${String(value)}`)
                  .join(', '),
              ] as const,
          )}
        />
      )}
    </Section>
  );
}
