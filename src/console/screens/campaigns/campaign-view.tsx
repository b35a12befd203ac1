// One campaign: the state of a run, what can be done with it, and its views.
import { Alert, Button, NativeSelect, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { useUrlState, useUrlValue } from '../../app/use-url-state.ts';
import { actorName } from '../../format/actor.ts';
import { useFormat } from '../../format/use-format.ts';
import { Page, Section } from '../../parts/page.tsx';
import { PauseText } from '../../parts/reason/pause-text.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { ScreenLink } from '../../parts/screen-link.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { Actions } from './actions.tsx';
import classes from './campaigns.module.css';
import { type Now, type Report, STATUS_OF, stateOf, TOPICS } from './data.ts';
import { Editor } from './editor.tsx';
import { History } from './history.tsx';
import { Members } from './members.tsx';
import { PlanView } from './plan-view.tsx';
import { Replies } from './replies.tsx';
import { RulesView } from './rules-view.tsx';
import { RunView } from './run-view.tsx';

const RUNS = 50;
const EVERY_MS = 5000;
const TABS = ['run', 'members', 'plan', 'replies', 'rules', 'history'] as const;

export function CampaignView({ campaign, run }: { readonly campaign: string; readonly run: string | null }) {
  const { t } = useTranslation('campaigns');
  const [, setUrl] = useUrlState();
  const mayEdit = useMay('editor');
  const runs = useCall(
    'GET /campaign-runs',
    { campaign, limit: RUNS },
    { topics: TOPICS, everyMs: EVERY_MS },
  );
  const trail = [<ScreenLink key="campaigns" to="campaigns" />];
  const list = runs.data?.runs ?? [];
  const chosen = run ?? list[0]?.run ?? null;
  const choice = (
    <NativeSelect
      size="xs"
      aria-label={t('run.choose')}
      value={chosen ?? ''}
      data={[...new Set([...list.map((each) => each.run), ...(chosen === null ? [] : [chosen])])]}
      onChange={(event) => {
        const { value } = event.currentTarget;
        setUrl({ campaign, run: value === list[0]?.run ? null : value });
      }}
    />
  );
  return (
    <Loaded of={runs}>
      {() =>
        chosen === null ? (
          <Page title={campaign} trail={trail} actions={<Actions campaign={campaign} report={null} />}>
            <Section title={t('state.none')}>
              <EmptyState title={t('run.none')} text={t('run.noneText')} />
            </Section>
            {mayEdit && <Editor campaign={campaign} />}
          </Page>
        ) : (
          <OneRun
            campaign={campaign}
            run={chosen}
            newest={list[0]?.run === chosen}
            trail={trail}
            choice={choice}
          />
        )
      }
    </Loaded>
  );
}

interface OneRunProps {
  readonly campaign: string;
  readonly run: string;
  readonly newest: boolean;
  readonly trail: readonly ReactNode[];
  readonly choice: ReactNode;
}

function OneRun({ campaign, run, newest, trail, choice }: OneRunProps) {
  const { t } = useTranslation('campaigns');
  const report = useCall('GET /campaigns/{campaign}/report', { campaign: run }, { everyMs: EVERY_MS });
  const now = useCall('GET /campaigns/{campaign}/progress', { campaign: run }, { everyMs: EVERY_MS });
  // What is not started yet has only a plan to be looked at.
  const [tab, setTab] = useUrlValue<string>('tab', report.data?.state === 'planned' ? 'plan' : 'run');
  return (
    <Page
      title={campaign}
      trail={trail}
      lead={report.data && <Lead report={report.data} now={now.data ?? null} />}
      actions={
        <>
          {choice}
          {newest && report.data !== undefined && <Actions campaign={campaign} report={report.data} />}
        </>
      }
    >
      {report.data !== undefined && <Notices report={report.data} now={now.data ?? null} />}
      <Tabs value={tab} onChange={(value) => setTab(value ?? 'run')} keepMounted={false}>
        <Tabs.List aria-label={t('run.tabs')}>
          {TABS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {t(`run.tab.${each}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="run" pt="md">
          <Loaded of={report}>
            {(data) => <RunView report={data} now={now.data ?? null} canSteer={newest} />}
          </Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="members" pt="md">
          <Loaded of={report}>{(data) => <Members report={data} />}</Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="plan" pt="md">
          <Loaded of={report}>{({ state }) => <PlanView run={run} isWaiting={state === 'planned'} />}</Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="replies" pt="md">
          <Replies campaign={campaign} run={run} />
        </Tabs.Panel>
        <Tabs.Panel value="rules" pt="md">
          <RulesView campaign={campaign} run={run} />
        </Tabs.Panel>
        <Tabs.Panel value="history" pt="md">
          <History run={run} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Lead({ report, now }: { readonly report: Report; readonly now: Now | null }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const state = stateOf(report);
  const { plannedBy, approvedBy, startedBy } = report;
  const by = [
    t('run.planned', { who: actorName(plannedBy) }),
    ...(approvedBy === null ? [] : [t('run.approved', { who: actorName(approvedBy) })]),
    ...(startedBy === null ? [] : [t('run.started', { who: actorName(startedBy) })]),
  ];
  const waiting = state === 'running' ? (now?.progress?.waiting ?? null) : null;
  return (
    <>
      <Status of={STATUS_OF[state]} label={t(`state.${state}`)} />
      {waiting !== null &&
        ` · ${t('run.waits', { at: format.moment(waiting.until), why: whyOf(t, waiting.why) })}`}
      {` · ${by.join(' ')}`}
    </>
  );
}

const WHYS = ['start', 'window', 'retry', 'settle', 'every', 'replies'] as const;

function whyOf(t: ReturnType<typeof useTranslation<'campaigns'>>['t'], why: string): string {
  const known = WHYS.find((each) => each === why);
  return known === undefined ? t('run.why.other', { why }) : t(`run.why.${known}`);
}

/** What stands in the way, and how to go on. */
function Notices({ report, now }: { readonly report: Report; readonly now: Now | null }) {
  const { t } = useTranslation('campaigns');
  const { paused, state, problems, reason, pollerSees } = report;
  const block = now?.block ?? report.blocked;
  const isOrphan = state === 'running' && now !== null && now.progress === null;
  const may = useMay('operator');
  const start = useCommand('POST /campaigns/{campaign}/start', { topics: TOPICS });
  const reasons = [
    ...(block !== null && paused === null ? [block] : []),
    ...(now?.failure ? [now.failure] : []),
    ...(state === 'planned' ? problems : []),
  ];
  const notes = [
    ...(isOrphan ? [t('run.noWorkflow')] : []),
    ...(state === 'failed' && reason !== null ? [reason] : []),
    ...(state === 'planned' && problems.length > 0 ? [t('run.problem')] : []),
    ...(state === 'running' && !pollerSees ? [t('run.noPoller')] : []),
    ...(now?.trouble ? [now.trouble] : []),
  ];
  const pause = state === 'running' ? paused : null;
  if (pause === null && notes.length + reasons.length === 0) return null;
  return (
    <Alert role="status" className={classes.notices}>
      {pause !== null && (
        <div>
          <PauseText pause={pause} />
        </div>
      )}
      {notes.map((note) => (
        <div key={note}>{note}</div>
      ))}
      {reasons.map(({ code, reason: why, params }) => (
        <Reason key={`${code} ${why}`} code={code} reason={why} params={params} />
      ))}
      {isOrphan && may && (
        <Button
          mt="xs"
          size="xs"
          variant="default"
          loading={start.isPending}
          onClick={() => start.run({ campaign: report.run })}
        >
          {t('action.goOn')}
        </Button>
      )}
    </Alert>
  );
}
