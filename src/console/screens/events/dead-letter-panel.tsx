// One dead letter: where it came from, what was wrong, its content, and what a replay would come to now.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useClient, useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { actorName } from '../../format/actor.ts';
import { useFormat } from '../../format/use-format.ts';
import { JsonBlock } from '../../parts/json-block.tsx';
import { Facts } from '../../parts/page.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { Reveal } from '../../parts/reveal/reveal.tsx';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/values.tsx';
import classes from './events.module.css';
import { OutcomeDiff } from './outcome-diff.tsx';
import { useDeadLetterCommands } from './replay.tsx';

type Detail = Output<'GET /dead-letters/{id}'>;

interface DeadLetterPanelProps {
  readonly id: string;
  readonly cluster: string | undefined;
  onReplay(replay: string): void;
  onClose(): void;
}

export function DeadLetterPanel({ id, cluster, onReplay, onClose }: DeadLetterPanelProps) {
  const { t } = useTranslation('events');
  const format = useFormat();
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
                <Reason code={code} reason={reason} />
              </div>
              {resolution === null ? (
                <DryRunDiff id={id} cluster={cluster} />
              ) : (
                <p>
                  {t(`dead.state.${resolution.how}`)} · {actorName(resolution.by)} ·{' '}
                  {format.moment(resolution.at)}
                  {resolution.reason !== null && ` · ${resolution.reason}`}
                </p>
              )}
              {may && resolution === null && (
                <div className={classes.line}>
                  <Button loading={commands.isReplaying} onClick={() => commands.replay([id])}>
                    {t('dead.replay')}
                  </Button>
                  <Button
                    variant="default"
                    loading={commands.isDiscarding}
                    onClick={() => commands.discard([id])}
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
        results[0] !== undefined && (
          <OutcomeDiff then={results[0].then} now={results[0].now} label={t('dead.diff')} />
        )
      }
    </Loaded>
  );
}
