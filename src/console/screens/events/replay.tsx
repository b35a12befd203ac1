// Replays and discards dead letters, with a question first, and shows how far a replay is.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { RunProgress } from '../../parts/progress.tsx';
import textStyles from '../../parts/text.module.css';
import classes from './events.module.css';

interface CommandsOptions {
  readonly cluster: string | undefined;
  onReplay(replay: string): void;
  onDiscarded(): void;
}

export function useDeadLetterCommands({ cluster, onReplay, onDiscarded }: CommandsOptions) {
  const { t } = useTranslation('events');
  const replay = useCommand('POST /dead-letters/replay', { onDone: (begun) => onReplay(begun.replay) });
  const discard = useCommand('POST /dead-letters/discard', {
    done: ({ count }) => t('dead.discarded', { count }),
    onDone: onDiscarded,
  });
  return {
    isReplaying: replay.isPending,
    isDiscarding: discard.isPending,
    replay(ids: readonly string[]) {
      replay.ask(() => ({ cluster, ids }), {
        title: t('dead.askReplay', { count: ids.length }),
        effects: t('dead.effectReplay'),
        verb: t('dead.replay'),
      });
    },
    discard(ids: readonly string[]) {
      discard.ask((reason) => ({ cluster, ids, reason }), {
        title: t('dead.askDiscard', { count: ids.length }),
        effects: t('dead.effectDiscard'),
        verb: t('dead.discard'),
        dangerous: true,
        reason: 'required',
      });
    },
  };
}

export function ReplayState({ replay, onClose }: { readonly replay: string; onClose(): void }) {
  const { t } = useTranslation('events');
  const may = useMay('operator');
  const found = useCall('GET /dead-letters/replays/{replay}', { replay }, { everyMs: 1000 });
  const stop = useCommand('POST /dead-letters/replays/{replay}/stop');
  if (found.data === undefined) return null;
  const { state, done, total, problem, omitted, unread } = found.data;
  return (
    <div className={classes.stack} style={{ padding: '0.75rem 1rem' }} role="status">
      <RunProgress label={t('dead.progress')} done={done} total={total} />
      <div className={classes.line}>
        <span>{t(`dead.replayState.${state}`)}</span>
        {problem !== null && <span className={classes.problem}>{problem}</span>}
        {omitted > 0 && <span className={textStyles.small}>{t('dead.omitted', { count: omitted })}</span>}
        {unread.length > 0 && (
          <span className={textStyles.small}>{t('dead.unread', { topics: unread.join(', ') })}</span>
        )}
        {state === 'running' && may ? (
          <Button
            variant="default"
            size="compact-xs"
            loading={stop.isPending}
            onClick={() => stop.run({ replay })}
          >
            {t('dead.stop')}
          </Button>
        ) : (
          <Button variant="default" size="compact-xs" onClick={onClose}>
            {t('dead.close')}
          </Button>
        )}
      </div>
    </div>
  );
}
