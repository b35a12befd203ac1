// One line per sink: whether it takes events, what waits for it, and what it refused.

import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useFormat } from '../../format/use-format.ts';
import listStyles from '../../parts/list.module.css';
import { Reason } from '../../parts/reason/reason.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import classes from './conversations.module.css';

type Sink = Output<'GET /sinks'>['sinks'][number];

interface SinkListProps {
  readonly sinks: readonly Sink[];
  onDead(): void;
}

export function SinkList({ sinks, onDead }: SinkListProps) {
  const { t } = useTranslation('conversations');
  const format = useFormat();
  if (sinks.length === 0) return <EmptyState title={t('sinks.none')} text={t('sinks.noneText')} />;
  return (
    <ul className={listStyles.list}>
      {sinks.map(({ sink, circuit, code, reason, waiting, dead, lagSeconds, sent, sentAt, openUntil }) => (
        <li key={sink} className={classes.row}>
          <div className={classes.grow}>
            <strong>{sink}</strong>
            <div className={textStyles.small}>
              {[
                t('sinks.waiting', { count: waiting, shown: format.count(waiting) }),
                ...(lagSeconds === null ? [] : [t('sinks.lag', { duration: format.duration(lagSeconds) })]),
                t('sinks.sent', { count: sent, shown: format.count(sent) }),
              ].join(' · ')}
            </div>
            {code !== null && (
              <div className={classes.problem}>
                <Reason code={code} reason={reason} />
                {openUntil !== null && ` · ${t('sinks.probe', { at: format.clock(openUntil) })}`}
              </div>
            )}
          </div>
          <Status of={circuit === 'open' ? 'blocked' : 'ok'} label={t(`sinks.circuit.${circuit}`)} />
          <span className={textStyles.small}>
            {t('sinks.last')} <Time at={sentAt} />
          </span>
          {dead > 0 && (
            <Button variant="default" size="compact-sm" onClick={onDead}>
              {t('sinks.dead', { count: dead, shown: format.count(dead) })}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
