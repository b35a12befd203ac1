// The commands of a sync. Each says what it will do before it does it.
import { Button } from '@mantine/core';
import { IconListSearch, IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import type { Progress, SyncEntry } from './data.ts';

interface Props {
  readonly sync: string;
  readonly account: string;
  /** Null: not known yet. */
  readonly state: Progress['state'] | SyncEntry['state'] | null;
}

export function SyncActions({ sync, account, state }: Props) {
  const { t } = useTranslation('syncs');
  const mayRun = useMay('operator');
  const mayPlan = useMay('editor');
  const [, change] = useUrlState();
  const run = useCommand('POST /syncs/{sync}/runs', {
    done: ({ joined, workers }) => t(!workers ? 'action.waits' : joined ? 'action.joined' : 'action.started'),
    onDone: () => change({ run: null, plan: null }),
  });
  const plan = useCommand('POST /syncs/{sync}/plans', {
    onDone: (begun) => change({ plan: begun.plan }, { replace: false }),
  });
  const pause = useCommand('POST /syncs/{sync}/pause', { done: () => t('action.paused') });
  const resume = useCommand('POST /syncs/{sync}/resume', { done: () => t('action.resumed') });
  const cancel = useCommand('POST /syncs/{sync}/cancel', {
    done: (now) => t(now.state === 'waiting' ? 'action.cancelWaits' : 'action.cancelled'),
  });
  if (!mayPlan) return null;
  const isActive = state === 'waiting' || state === 'running' || state === 'paused';
  const question = (what: 'run' | 'pause' | 'cancel') =>
    ({
      title: t(`ask.${what}`, { sync }),
      effects: t(`ask.${what}Effects`, { account }),
      verb: t(`action.${what}`),
      dangerous: what === 'cancel',
      reason: what === 'run' ? 'none' : 'optional',
    }) as const;
  const input = (reason: string) => ({ sync, reason });
  const planButton = (
    <Button
      variant="default"
      leftSection={<IconListSearch size={14} aria-hidden />}
      loading={plan.isPending}
      onClick={() => plan.run({ sync })}
    >
      {t('action.plan')}
    </Button>
  );
  if (!mayRun) return planButton;
  return (
    <>
      {planButton}
      {state === 'running' && (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={14} aria-hidden />}
          loading={pause.isPending}
          onClick={() => pause.ask(input, question('pause'))}
        >
          {t('action.pause')}
        </Button>
      )}
      {isActive && (
        <Button
          variant="danger"
          leftSection={<IconPlayerStop size={14} aria-hidden />}
          loading={cancel.isPending}
          onClick={() => cancel.ask(input, question('cancel'))}
        >
          {t('action.cancel')}
        </Button>
      )}
      {state === 'paused' ? (
        <Button
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          loading={resume.isPending}
          onClick={() => resume.run({ sync })}
        >
          {t('action.resume')}
        </Button>
      ) : (
        state !== null &&
        !isActive && (
          <Button
            leftSection={<IconPlayerPlay size={14} aria-hidden />}
            loading={run.isPending}
            onClick={() => run.ask(input, question('run'))}
          >
            {t('action.run')}
          </Button>
        )
      )}
    </>
  );
}
