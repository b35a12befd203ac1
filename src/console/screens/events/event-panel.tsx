// One event: what it asks for, and its history from arrival to the messages that it sent.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useClient, useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { useRouteName } from '../../format/use-route-name.ts';
import { JsonBlock } from '../../parts/json-block.tsx';
import { Facts } from '../../parts/page.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { Reveal } from '../../parts/reveal/reveal.tsx';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import textStyles from '../../parts/text.module.css';
import { Timeline, type TimelineEntry } from '../../parts/timeline.tsx';
import { CorrectEvent } from './correct-event.tsx';
import classes from './events.module.css';
import { ResolveEvents } from './resolve-events.tsx';
import { EventStatus, isRetryable } from './state.tsx';
import { useRetry } from './use-retry.ts';

type Detail = Output<'GET /events/{event}'>;

interface EventPanelProps {
  readonly event: string;
  /** Its request as somebody has corrected it so far. */
  readonly draft: string | null;
  onDraft(text: string): void;
  onOpen(event: string): void;
  onClose(): void;
}

export function EventPanel({ event, draft, onDraft, onOpen, onClose }: EventPanelProps) {
  const { t } = useTranslation('events');
  const client = useClient();
  const may = useMay('operator');
  const routeName = useRouteName();
  const found = useCall('GET /events/{event}', { event }, { enabled: event !== '' });
  const [plain, setPlain] = useState<Detail | null>(null);
  const retry = useRetry();
  return (
    <SidePanel title={t('panel.title')} isOpen={event !== ''} onClose={onClose}>
      <Loaded of={found}>
        {(detail) => {
          const { id, account, route, action, code, reason, blocked, warnings, workflow, trace, replacedBy } =
            detail;
          const why = blocked ?? (code === null ? null : { code, reason });
          const request = (plain ?? detail).request;
          const canCorrect = may && detail.canCorrect;
          return (
            <>
              <div className={classes.line}>
                <EventStatus event={detail} />
                {may && <ResolveEvents rows={[detail]} />}
                {may && isRetryable(detail) && (
                  <Button size="compact-sm" loading={retry.isPending} onClick={() => retry.ask([detail])}>
                    {t('retry.verb')}
                  </Button>
                )}
              </div>
              {why !== null && (
                <div className={classes.problem}>
                  <Reason code={why.code} reason={why.reason ?? null} />
                </div>
              )}
              {replacedBy !== null && (
                <p>
                  {t('correct.replacedBy')}{' '}
                  <Button variant="subtle" size="compact-sm" onClick={() => onOpen(replacedBy)}>
                    {replacedBy}
                  </Button>
                </p>
              )}
              <Facts
                facts={[
                  [
                    t('panel.id'),
                    <span key="id" className={textStyles.small}>
                      {id}
                    </span>,
                  ],
                  [t('events.route'), `${routeName(route)} → ${t(`action.${action}`)} (${account})`],
                  [
                    t('panel.workflow'),
                    <span key="workflow" className={textStyles.small}>
                      {workflow ?? '–'}
                    </span>,
                  ],
                  ...(trace === null ? [] : [[t('panel.trace'), trace] as const]),
                  ...warnings.map(
                    ({ field, code: warning, reason: because }) =>
                      [t('panel.warning'), `${field}: ${because} [${warning}]`] as const,
                  ),
                ]}
              />
              {request === null ? (
                <p className={textStyles.small}>{t('panel.noRequest')}</p>
              ) : (
                <>
                  {plain !== null && canCorrect ? (
                    <CorrectEvent event={plain} draft={draft} onDraft={onDraft} onReplaced={onOpen} />
                  ) : (
                    <JsonBlock label={t('panel.request')} text={JSON.stringify(request, null, 2)} />
                  )}
                  {plain === null && canCorrect && (
                    <p className={textStyles.small}>{t('correct.toCorrect')}</p>
                  )}
                  {plain === null && (
                    <Reveal
                      what={t('panel.request')}
                      read={() => client.call('GET /events/{event}', { event, unmask: true })}
                      onRevealed={setPlain}
                    />
                  )}
                </>
              )}
              <History detail={detail} />
            </>
          );
        }}
      </Loaded>
    </SidePanel>
  );
}

/** Oldest first. */
function History({ detail }: { readonly detail: Detail }) {
  const { t } = useTranslation('events');
  const { receivedAt, acceptedAt, endedAt, outcome, calls, messages } = detail;
  const entries: TimelineEntry[] = [
    { id: 'received', at: receivedAt, title: t('history.received') },
    ...(acceptedAt === null ? [] : [{ id: 'accepted', at: acceptedAt, title: t('history.accepted') }]),
    ...calls.map(({ at, method, route, status, code, requestId, waitMs, tookMs }, index) => ({
      id: `call ${index}`,
      at,
      title: `${method} ${route}: ${status ?? t('history.noAnswer')}`,
      details: [
        ...(code === null ? [] : [code]),
        ...(requestId === null ? [] : [requestId]),
        t('history.times', { wait: waitMs, took: tookMs }),
      ].join(' · '),
      tone: code === null ? ('info' as const) : ('bad' as const),
    })),
    ...messages.map(({ message, status, sentAt, endCode }) => ({
      id: `message ${message}`,
      at: sentAt,
      title: t('history.message', { status }),
      details: endCode ?? message,
      tone: status === 'failed' ? ('bad' as const) : ('good' as const),
    })),
    ...(endedAt === null || outcome === null
      ? []
      : [
          {
            id: 'ended',
            at: endedAt,
            title: t('history.ended', { outcome: t(`state.${outcome}`) }),
            tone:
              outcome === 'failed'
                ? ('bad' as const)
                : outcome === 'unknown'
                  ? ('warn' as const)
                  : ('good' as const),
          },
        ]),
  ];
  const sorted = entries.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  return <Timeline label={t('panel.history')} entries={sorted} />;
}
