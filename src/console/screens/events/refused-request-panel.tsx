// One refused request: why, its headers and body, what a replay would come to now, and a corrected body.
import { Button } from '@mantine/core';
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
import textStyles from '../../parts/text.module.css';
import { Count, Time } from '../../parts/values.tsx';
import { BodyEditor } from './body-editor.tsx';
import classes from './events.module.css';
import { OutcomeDiff } from './outcome-diff.tsx';
import { type ReplayResult, useRefusedCommands } from './use-refused-commands.ts';

type Detail = Output<'GET /refused-requests/{id}'>;

interface RefusedRequestPanelProps {
  readonly id: string;
  /** The body as somebody has corrected it so far. */
  readonly draft: string | null;
  onDraft(text: string): void;
  onClose(): void;
}

export function RefusedRequestPanel({ id, draft, onDraft, onClose }: RefusedRequestPanelProps) {
  const { t } = useTranslation('events');
  const format = useFormat();
  const client = useClient();
  const may = useMay('operator');
  const found = useCall('GET /refused-requests/{id}', { id }, { enabled: id !== '' });
  const [plain, setPlain] = useState<Detail | null>(null);
  const closeWhenDone = (results: readonly ReplayResult[]) => {
    if (results.every(({ outcome }) => outcome === 'accepted' || outcome === 'skipped')) onClose();
  };
  const commands = useRefusedCommands({ onReplayed: closeWhenDone, onDiscarded: onClose });
  return (
    <SidePanel title={t('refused.one')} isOpen={id !== ''} onClose={onClose}>
      <Loaded of={found}>
        {(masked) => {
          const { code, reason, account, route, count, bytes, firstAt, lastAt, resolution, now } = masked;
          const { headers, body } = plain ?? masked;
          return (
            <>
              <div className={classes.problem}>
                <Reason code={code} reason={reason} />
              </div>
              {resolution === null ? (
                now !== null && <OutcomeDiff then={{ code, reason }} now={now} label={t('refused.diff')} />
              ) : (
                <p>
                  {t(`refused.state.${resolution.how}`)} · {actorName(resolution.by)} ·{' '}
                  {format.moment(resolution.at)}
                  {resolution.reason !== null && ` · ${resolution.reason}`}
                </p>
              )}
              {may && resolution === null && (
                <div className={classes.line}>
                  <Button
                    variant={now?.outcome === 'accepted' ? 'filled' : 'default'}
                    loading={commands.isReplaying}
                    onClick={() => void commands.replay({ ids: [id] }, 1)}
                  >
                    {t('refused.replay')}
                  </Button>
                  <Button
                    variant="default"
                    loading={commands.isDiscarding}
                    onClick={() => void commands.discard([id])}
                  >
                    {t('refused.discard')}
                  </Button>
                </div>
              )}
              <Facts
                facts={[
                  [t('events.route'), `${route} (${account})`],
                  [t('refusals.count'), <Count key="count" of={count} />],
                  [t('refused.first'), <Time key="first" at={firstAt} as="moment" />],
                  [t('refused.last'), <Time key="last" at={lastAt} as="moment" />],
                  [t('refused.size'), format.bytes(bytes)],
                  ...Object.entries(headers),
                ]}
              />
              {plain !== null && may && resolution === null ? (
                <BodyEditor
                  words={{
                    edit: t('refused.edit'),
                    about: t('refused.editAbout'),
                    checked: t('refused.checked'),
                    changes: t('refused.changes'),
                    whole: t('refused.body'),
                  }}
                  then={{ code, reason }}
                  check={(tried) =>
                    client.call('POST /refused-requests/{id}/dry-run', { id, body: tried, unmask: true })
                  }
                  body={plain.body}
                  text={draft ?? plain.body}
                  onChange={onDraft}
                  isReplaying={commands.isReplaying}
                  onReplay={(text) => void commands.replay({ ids: [id] }, 1, text)}
                />
              ) : (
                <JsonBlock label={t('refused.body')} text={body} />
              )}
              {plain === null && may && resolution === null && (
                <p className={textStyles.small}>{t('refused.toCorrect')}</p>
              )}
              {plain === null && (
                <Reveal
                  what={t('refused.content')}
                  read={() => client.call('GET /refused-requests/{id}', { id, unmask: true })}
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
