// One line per poller: whether it runs, how far behind it is, what is wrong, and its buttons.

import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useMay } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';
import { actorName } from '../../format/actor.ts';
import { useFormat } from '../../format/use-format.ts';
import listStyles from '../../parts/list.module.css';
import { Reason } from '../../parts/reason/reason.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import classes from './conversations.module.css';

type Poller = Output<'GET /pollers'>['pollers'][number];

const STATUS_OF = { polling: 'running', paused: 'paused', blocked: 'blocked', stopped: 'off' } as const;

export function PollerTable({ pollers }: { readonly pollers: readonly Poller[] }) {
  const { t } = useTranslation('conversations');
  if (pollers.length === 0) return <EmptyState title={t('pollers.none')} text={t('pollers.noneText')} />;
  return (
    <ul className={listStyles.list}>
      {pollers.map((poller) => (
        <PollerItem key={`${poller.account}/${poller.poller}`} poller={poller} />
      ))}
    </ul>
  );
}

function PollerItem({ poller }: { readonly poller: Poller }) {
  const { t } = useTranslation('conversations');
  const format = useFormat();
  const { account, poller: name, state, blocked, paused, trouble, lagSeconds, todo, messages, gaps } = poller;
  const problem =
    blocked !== null && state !== 'stopped' ? (
      <Reason code={blocked.code} reason={blocked.reason} />
    ) : paused !== null ? (
      t('pollers.pausedBy', { by: actorName(paused.by), reason: paused.reason || t('pollers.noReason') })
    ) : (
      trouble
    );
  const counts = [
    lagSeconds === null
      ? t('pollers.noLag')
      : t('pollers.lag', { duration: format.duration(lagSeconds), shown: format.count(todo) }),
    t('pollers.messages', { count: messages, shown: format.count(messages) }),
    ...(gaps === 0 ? [] : [t('pollers.gaps', { count: gaps, shown: format.count(gaps) })]),
    ...(poller.unread === 0 ? [] : [t('pollers.unread', { count: poller.unread })]),
    ...(poller.configured ? [] : [t('pollers.notConfigured')]),
  ];
  return (
    <li className={classes.row}>
      <div className={classes.grow}>
        <strong>{name}</strong> <span className={textStyles.small}>{account}</span>
        <div className={textStyles.small}>{counts.join(' · ')}</div>
        {problem !== null && <div className={classes.problem}>{problem}</div>}
      </div>
      <Status of={STATUS_OF[state]} label={t(`pollers.state.${state}`)} />
      <span className={textStyles.small}>
        {t('pollers.last')} <Time at={poller.polledAt} />
      </span>
      <PollerButtons poller={poller} />
    </li>
  );
}

function PollerButtons({
  poller: { account, poller: name, state, configured },
}: {
  readonly poller: Poller;
}) {
  const { t } = useTranslation('conversations');
  const may = useMay('operator');
  const done = (verb: 'start' | 'pause' | 'resume' | 'stop') => () => t(`pollers.done.${verb}`, { name });
  const start = useCommand('POST /pollers/start', { done: done('start') });
  const pause = useCommand('POST /pollers/{poller}/pause', { done: done('pause') });
  const resume = useCommand('POST /pollers/{poller}/resume', { done: done('resume') });
  const stop = useCommand('POST /pollers/{poller}/stop', { done: done('stop') });
  const now = useCommand('POST /pollers/{poller}/now', {
    done: ({ messages }) => t('pollers.done.now', { count: messages }),
  });
  if (!may) return null;
  const poller = `${account}/${name}`;
  const ask = (verb: 'pause' | 'stop') =>
    (verb === 'pause' ? pause : stop).ask((reason) => ({ poller, reason }), {
      title: t(`pollers.ask.${verb}`, { name }),
      effects: t(`pollers.effect.${verb}`),
      verb: t(`pollers.verb.${verb}`),
      reason: 'optional',
    });
  const button = (
    verb: 'start' | 'pause' | 'resume' | 'stop' | 'now',
    isPending: boolean,
    run: () => void,
  ) => (
    <Button
      key={verb}
      variant={verb === 'stop' ? 'danger' : 'default'}
      size="compact-sm"
      loading={isPending}
      aria-label={t('pollers.button', { verb: t(`pollers.verb.${verb}`), name })}
      onClick={run}
    >
      {t(`pollers.verb.${verb}`)}
    </Button>
  );
  if (state === 'stopped')
    return (
      <div className={classes.buttons}>
        {configured && button('start', start.isPending, () => start.run({ names: [name] }))}
      </div>
    );
  return (
    <div className={classes.buttons}>
      {state === 'polling' && button('now', now.isPending, () => now.run({ poller }))}
      {state === 'polling'
        ? button('pause', pause.isPending, () => ask('pause'))
        : button('resume', resume.isPending, () => resume.run({ poller }))}
      {button('stop', stop.isPending, () => ask('stop'))}
    </div>
  );
}
