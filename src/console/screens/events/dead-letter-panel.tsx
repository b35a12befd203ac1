// One dead letter: where it came from, what was wrong, its content, and what a replay would come to now.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useClient, useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { Diff, type FieldChange } from '../../parts/diff.tsx';
import { JsonBlock } from '../../parts/json-block.tsx';
import { Facts } from '../../parts/page.tsx';
import { Reveal } from '../../parts/reveal.tsx';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/values.tsx';
import classes from './events.module.css';
import { useDeadLetterCommands } from './replay.tsx';

type Detail = Output<'GET /dead-letters/{id}'>;
type DryRun = Output<'POST /dead-letters/dry-run'>['results'][number];

interface DeadLetterPanelProps {
  readonly id: string;
  readonly cluster: string | undefined;
  onReplay(replay: string): void;
  onClose(): void;
}

export function DeadLetterPanel({ id, cluster, onReplay, onClose }: DeadLetterPanelProps) {
  const { t } = useTranslation('events');
  const client = useClient();
  const may = useMay('operator');
  const found = useCall('GET /dead-letters/{id}', { id, cluster }, { enabled: id !== '' });
  const [plain, setPlain] = useState<Detail | null>(null);
  const commands = useDeadLetterCommands({
    cluster,
    onReplay(replay) {
      onReplay(replay);
      onClose();
    },
    onDiscarded: onClose,
  });
  return (
    <SidePanel title={t('dead.one', { id })} isOpen={id !== ''} onClose={onClose}>
      <Loaded of={found}>
        {(masked) => {
          const { code, reason, route, origin, failedAt, resolution, key, headers, value } = plain ?? masked;
          return (
            <>
              <div className={classes.problem}>
                {reason} [{code}]
              </div>
              {resolution === null ? (
                <DryRunDiff id={id} cluster={cluster} />
              ) : (
                <p>
                  {t(`dead.state.${resolution.how}`)} · {resolution.by} · {resolution.at} ·{' '}
                  {resolution.reason ?? ''}
                </p>
              )}
              {may && resolution === null && (
                <div className={classes.line}>
                  <Button loading={commands.isReplaying} onClick={() => void commands.replay([id])}>
                    {t('dead.replay')}
                  </Button>
                  <Button
                    variant="default"
                    loading={commands.isDiscarding}
                    onClick={() => void commands.discard([id])}
                  >
                    {t('dead.discard')}
                  </Button>
                </div>
              )}
              <Facts
                facts={[
                  [t('events.route'), route],
                  [t('dead.origin'), `${origin.topic}, ${origin.partition}, ${origin.offset}`],
                  [t('dead.failed'), <Time key="failed" at={failedAt} as="moment" />],
                  [t('dead.key'), key ?? '–'],
                  ...Object.entries(headers).map(([name, text]) => [name, text] as const),
                ]}
              />
              <JsonBlock label={t('dead.value')} text={value ?? t('dead.noValue')} />
              {plain === null && (
                <Reveal
                  what={t('dead.content')}
                  read={() => client.call('GET /dead-letters/{id}', { id, cluster, unmask: true })}
                  onRevealed={setPlain}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </SidePanel>
  );
}

function DryRunDiff({ id, cluster }: Pick<DeadLetterPanelProps, 'id' | 'cluster'>) {
  const { t } = useTranslation('events');
  const client = useClient();
  const found = useQuery({
    queryKey: ['dry run', cluster, id],
    queryFn: ({ signal }) => client.call('POST /dead-letters/dry-run', { cluster, ids: [id] }, { signal }),
    gcTime: 0,
  });
  return (
    <Loaded of={found}>
      {({ results }) =>
        results[0] === undefined ? null : isSameRefusal(results[0]) ? (
          <p role="status">{t('dead.again')}</p>
        ) : (
          <Diff label={t('dead.diff')} changes={changesOf(results[0], t('dead.outcome'))} />
        )
      }
    </Loaded>
  );
}

/** Before and after would be the same sentence. */
function isSameRefusal({ then, now }: DryRun): boolean {
  return now.outcome === 'refused' && now.code === then.code && now.reason === then.reason;
}

/** What happened then, and what would happen now, field by field. */
function changesOf({ then, now }: DryRun, outcome: string): FieldChange[] {
  const after =
    now.outcome === 'accepted'
      ? 'accepted'
      : now.outcome === 'refused'
        ? `refused ${now.code}: ${now.reason}`
        : `${now.outcome}: ${now.reason}`;
  const fields = now.outcome === 'accepted' ? now.events.flatMap(({ request }) => flatten(request, '')) : [];
  return [
    { field: outcome, before: `refused ${then.code}: ${then.reason}`, after },
    ...fields.map(([field, value]) => ({ field, before: null, after: value })),
  ];
}

function flatten(value: unknown, path: string): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  // An event that adds and removes no tag is accepted, and changes nothing.
  if (Object.keys(value).length === 0) return [[path, '–']];
  return Object.entries(value).flatMap(([key, each]) => flatten(each, path === '' ? key : `${path}.${key}`));
}
