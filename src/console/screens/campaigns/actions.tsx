// What can be done with the newest run of a campaign. Each command says what it will do, and asks.
import { Button, Text } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { actorName } from '../../format/actor.ts';
import { useFormat } from '../../format/use-format.ts';
import { ErrorText } from '../../parts/reason/error-text.tsx';
import { useApproval } from '../../parts/use-approval.ts';
import { type Report, TOPICS } from './data.ts';
import { TestSend } from './draft/test-send.tsx';

const PLANNING_MS = 1000;
/** Who may approve changes with time, too. */
const APPROVAL_MS = 30_000;

interface ActionsProps {
  readonly campaign: string;
  /** Null: it has no run. */
  readonly report: Report | null;
}

export function Actions({ campaign, report }: ActionsProps) {
  const may = useMay('operator');
  const [asked, setAsked] = useState(false);
  if (!may) return null;
  const state = report?.state ?? null;
  const isPlanning = state === 'planning' || asked;
  return (
    <>
      {isPlanning && <Planning campaign={campaign} onEnd={() => setAsked(false)} />}
      {report !== null && state === 'planned' && <Planned campaign={campaign} report={report} />}
      {report !== null && state === 'running' && <Running campaign={campaign} report={report} />}
      <TestSend campaign={campaign} draft={null} />
      {!isPlanning && state !== 'running' && (
        <PlanButton campaign={campaign} again={report !== null} onPlan={() => setAsked(true)} />
      )}
    </>
  );
}

function PlanButton(props: { readonly campaign: string; readonly again: boolean; onPlan(): void }) {
  const { campaign, again, onPlan } = props;
  const { t } = useTranslation('campaigns');
  const plan = useCommand('POST /campaigns/{campaign}/plan', { onDone: onPlan, topics: TOPICS });
  const ask = () =>
    plan.ask(() => ({ campaign }), {
      title: t('action.planTitle', { campaign }),
      effects: t('action.planEffect'),
      verb: t('action.plan'),
    });
  return (
    <Button variant={again ? 'default' : 'filled'} loading={plan.isPending} onClick={ask}>
      {again ? t('action.planAgain') : t('action.plan')}
    </Button>
  );
}

/** Shows how far planning is; the server ends it with the reason if it failed. */
function Planning({ campaign, onEnd }: { readonly campaign: string; onEnd(): void }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const planning = useCall('GET /campaigns/{campaign}/planning', { campaign }, { everyMs: PLANNING_MS });
  const { data, error } = planning;
  if (error !== null)
    return (
      <Text size="sm" c="red.9" role="alert">
        <ErrorText error={error} />
      </Text>
    );
  if (data === undefined || data.state === 'planning')
    return (
      <Text size="sm" c="dimmed" role="status">
        {t('action.planning', { found: format.count(data?.found ?? 0) })}
      </Text>
    );
  return (
    <Button variant="subtle" onClick={onEnd}>
      {t('state.planned')}
    </Button>
  );
}

function Planned({ campaign, report }: { readonly campaign: string; readonly report: Report }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const rules = useCall('GET /campaigns/{campaign}/rules', { campaign: report.run });
  const start = useCommand('POST /campaigns/{campaign}/start', {
    topics: TOPICS,
    done: () => t('action.started'),
  });
  const { run, total, approval, approvedBy, problems } = report;
  // What cannot be started needs nobody's approval.
  const needsApproval = approval === 'second-person' && approvedBy === null && problems.length === 0;
  const members = format.count(total.eligible);
  const askStart = () =>
    start.ask((reason) => ({ campaign: run, reason }), {
      title: t('action.startTitle', { campaign }),
      effects: t('action.startEffect', { members, flow: rules.data?.flow ?? '' }),
      verb: t('action.start'),
      dangerous: true,
      reason: 'optional',
    });
  return (
    <>
      {needsApproval && <ApproveButton campaign={campaign} report={report} />}
      <Button loading={start.isPending} disabled={needsApproval || problems.length > 0} onClick={askStart}>
        {t('action.start')}
      </Button>
      <CancelButton campaign={campaign} report={report} />
    </>
  );
}

/** A reader who may not approve can reach the button, and hears why. */
function ApproveButton({ campaign, report }: { readonly campaign: string; readonly report: Report }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const why = useId();
  const words = useApproval();
  const { run, total, plannedBy, plannedAt } = report;
  const approval = useCall(
    'GET /campaigns/{campaign}/approval',
    { campaign: run },
    { topics: [...TOPICS, 'session'], everyMs: APPROVAL_MS },
  );
  const approve = useCommand('POST /campaigns/{campaign}/approve', {
    topics: TOPICS,
    done: () => t('action.approved'),
  });
  const ask = () =>
    approve.ask((reason) => ({ campaign, run, reason }), {
      title: t('action.approveTitle', { campaign }),
      effects: t('action.approveEffect', {
        run,
        members: format.count(total.eligible),
        by: actorName(plannedBy),
        at: format.instant(plannedAt),
      }),
      verb: t('action.approve'),
      reason: 'optional',
    });
  const refusal = approval.data === undefined ? null : words.refusal(approval.data.refusal);
  const isOff = approval.data === undefined || refusal !== null;
  return (
    <>
      <Button
        loading={approve.isPending}
        data-disabled={isOff || undefined}
        aria-disabled={isOff}
        aria-describedby={refusal === null ? undefined : why}
        onClick={() => (isOff ? undefined : ask())}
      >
        {t('action.approve')}
      </Button>
      {refusal !== null && approval.data !== undefined && (
        <Text id={why} size="xs" c="dimmed" w="100%" style={{ order: 1 }} role="note">
          {refusal} {words.approvers(approval.data)}
        </Text>
      )}
    </>
  );
}

function Running({ campaign, report }: { readonly campaign: string; readonly report: Report }) {
  const { t } = useTranslation('campaigns');
  const pause = useCommand('POST /campaigns/{campaign}/pause', {
    topics: TOPICS,
    done: () => t('action.paused'),
  });
  const resume = useCommand('POST /campaigns/{campaign}/resume', {
    topics: TOPICS,
    done: () => t('action.resumed'),
  });
  const skip = useCommand('POST /campaigns/{campaign}/skip-wave', {
    topics: TOPICS,
    done: ({ members }) => t('action.skipped', { count: members }),
  });
  const askPause = () =>
    pause.ask((reason) => ({ campaign: report.run, reason }), {
      title: t('action.pauseTitle', { campaign }),
      effects: t('action.pauseEffect'),
      verb: t('action.pause'),
      reason: 'optional',
    });
  const askSkip = () =>
    skip.ask((reason) => ({ campaign: report.run, reason }), {
      title: t('action.skipTitle', { campaign }),
      effects: t('action.skipEffect'),
      verb: t('action.skip'),
      dangerous: true,
      reason: 'optional',
    });
  return (
    <>
      {report.paused === null ? (
        <Button variant="default" loading={pause.isPending} onClick={askPause}>
          {t('action.pause')}
        </Button>
      ) : (
        <Button loading={resume.isPending} onClick={() => resume.run({ campaign: report.run })}>
          {t('action.resume')}
        </Button>
      )}
      <Button variant="default" loading={skip.isPending} onClick={askSkip}>
        {t('action.skip')}
      </Button>
      <CancelButton campaign={campaign} report={report} />
    </>
  );
}

function CancelButton({ campaign, report }: { readonly campaign: string; readonly report: Report }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const cancel = useCommand('POST /campaigns/{campaign}/cancel', {
    topics: TOPICS,
    done: () => t('action.cancelled'),
  });
  const ask = () =>
    cancel.ask((reason) => ({ campaign: report.run, reason }), {
      title: t('action.cancelTitle', { campaign }),
      effects: t('action.cancelEffect', { members: format.count(report.total.waiting) }),
      verb: t('action.cancel'),
      dangerous: true,
      reason: 'required',
    });
  return (
    <Button variant="danger" loading={cancel.isPending} onClick={ask}>
      {t('action.cancel')}
    </Button>
  );
}
