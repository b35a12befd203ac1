// What needs a person, the most severe first, each with its button.

import { Anchor, Button } from '@mantine/core';
import { IconAlertTriangle, IconBan, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { screenOf, searchOf } from '../../../operator/contract/need-screens.ts';
import { useMay } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';
import { useFormat } from '../../format/use-format.ts';
import { useRouteName } from '../../format/use-route-name.ts';
import listStyles from '../../parts/list.module.css';
import { Reason } from '../../parts/reason/reason.tsx';
import { EmptyState } from '../../parts/states.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import type { Overview } from './data.ts';
import { adviceOf, commandsOf, stepOf } from './need-step.ts';
import classes from './overview.module.css';

type Need = Overview['needs'][number];
type Command = Need['commands'][number];

// Rarely needed: it comes with the part below the first look.
const BlockedWork = lazy(async () => ({ default: (await import('./budget.tsx')).BlockedWork }));

const LOOKS = {
  critical: ['bad', IconBan],
  warning: ['warn', IconAlertTriangle],
  info: ['info', IconInfoCircle],
} as const;

const REVIEW = 'POST /needs/review';

export function NeedList({ at, needs, more }: Pick<Overview, 'at' | 'needs' | 'more'>) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  if (needs.length === 0)
    return (
      <EmptyState
        icon={<IconCircleCheck size={24} stroke={1.5} />}
        title={t('needs.none')}
        text={t('needs.noneText', { at: format.clock(at) })}
      />
    );
  return (
    <>
      <ul className={listStyles.list}>
        {needs.map((need) => (
          <NeedItem key={[need.kind, need.account, need.name, need.run, need.code].join(' ')} need={need} />
        ))}
      </ul>
      {more && <p className={listStyles.note}>{t('needs.more')}</p>}
    </>
  );
}

function NeedItem({ need }: { readonly need: Need }) {
  const { t } = useTranslation('overview');
  const { kind, severity, account, count, since, code, reason, params, blocks, approval } = need;
  const same = need.same ?? count;
  const commands = commandsOf(need);
  const format = useFormat();
  const name = useRouteName()(need.name);
  const [tone, Icon] = LOOKS[severity];
  const step = stepOf(need);
  const verb = step && t(`step.${step.word}`);
  const advice = adviceOf(need);
  return (
    <li className={classes.need}>
      <span className={classes.needIcon} data-tone={tone} role="img" aria-label={t(`severity.${severity}`)}>
        <Icon size={18} stroke={1.8} aria-hidden />
      </span>
      <div className={classes.grow}>
        <Anchor
          component={Link}
          to={screenOf(need)}
          search={searchOf(need) as never}
          className={classes.needTitle}
        >
          {t(`need.${kind}`, { count, name })}
        </Anchor>
        <div className={textStyles.small}>
          {account}
          {since !== null && (
            <>
              {account !== null && ' · '}
              <Time at={since} as="ago" />
            </>
          )}
          {same < count && ` · ${t('needs.mostly', { same: format.count(same), all: format.count(count) })} `}
          {(code ?? reason) !== null && <Reason code={code} reason={reason} params={params} />}
          {blocks !== undefined && (
            <Suspense>
              <BlockedWork account={account} blocks={blocks} />
            </Suspense>
          )}
          {advice !== null && <div>{t(`advice.${advice}`)}</div>}
          {approval !== null && approval.refusal !== null && (
            <div>{t('needs.others', { who: approval.approvers.join(', ') || t('needs.nobody') })}</div>
          )}
        </div>
      </div>
      {step !== null && (
        <Button
          component={Link}
          to={step.to}
          search={step.search as never}
          variant="default"
          className={classes.button}
          aria-label={`${verb}: ${name}`}
        >
          {verb}
        </Button>
      )}
      {commands
        .slice(0, 2)
        .map(
          (command) =>
            (command === commands[0] || command.route === REVIEW) && (
              <CommandButton key={command.route} need={need} command={command} />
            ),
        )}
    </li>
  );
}

/** The usual command, or that a person has seen the failures. Others are on the screen that the need links to. */
function CommandButton({ need, command }: { readonly need: Need; readonly command: Command }) {
  const { t, i18n } = useTranslation('overview');
  const word = command.route.split('/').at(-1) ?? '';
  const may = useMay('operator');
  const known = i18n.exists(`overview:command.${word}`);
  const verb = known ? t(`command.${word}` as 'command.retry') : word;
  const name = useRouteName()(need.name);
  // The server chose the route and its input; they are not known when this is compiled.
  const run = useCommand(command.route as typeof REVIEW, { done: () => t('command.done', { verb, name }) });
  const inputOf = (reason: string) =>
    Object.assign({}, command.input, reason === '' ? {} : { reason }) as never;
  const ask = () =>
    run.ask(inputOf, {
      title: t('command.title', { verb, name }),
      effects: (
        <>
          <p>{t(`need.${need.kind}`, { count: need.count, name })}</p>
          <p>
            {i18n.exists(`overview:effect.${word}`) ? t(`effect.${word}` as 'effect.retry') : command.route}
          </p>
        </>
      ),
      verb,
      reason: 'optional',
    });
  if (!may) return null;
  return (
    <Button variant="default" loading={run.isPending} onClick={ask} className={classes.button}>
      {verb}
    </Button>
  );
}
