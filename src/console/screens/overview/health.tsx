// API, tokens, Temporal, workers, ledger and Kafka: six lines, each with a word and what stands behind it.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';
import listStyles from '../../parts/list.module.css';
import { Status } from '../../parts/status.tsx';
import textStyles from '../../parts/text.module.css';
import { apiStatus } from './api-status.ts';
import type { Overview } from './data.ts';
import classes from './overview.module.css';

interface Line {
  readonly name: string;
  readonly status: string;
  readonly detail: string;
}

export function HealthList(props: Pick<Overview, 'health' | 'tokens'>) {
  const lines = useLines(props);
  return (
    <ul className={listStyles.list}>
      {lines.map(({ name, status, detail }) => (
        <li key={name} className={classes.health}>
          <div className={classes.grow}>
            <strong>{name}</strong>
            <div className={textStyles.small}>{detail}</div>
          </div>
          <Status of={status} />
        </li>
      ))}
    </ul>
  );
}

function useLines({ health, tokens }: Pick<Overview, 'health' | 'tokens'>): readonly Line[] {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const { ledger, temporal, kafka, workers, api } = health;
  // A ledger in the same process answers in less than a millisecond.
  const milliseconds = (value: number) =>
    t('health.roundTrip', { ms: format.count(value < 10 ? Math.round(value * 10) / 10 : Math.round(value)) });
  const said = (detail: string | null) => (detail === null ? null : format.text(detail));
  const refused = tokens.filter(({ marks }) => marks.some(({ scope }) => scope === null)).length;
  const blocked = tokens.filter(({ blockedUntil }) => blockedUntil !== null).length;
  return [
    ...api.map(({ account, calls, failed, unanswered, lastSuccessAt, lastCode }) => ({
      name: api.length === 1 ? t('health.api') : t('health.apiOf', { account }),
      status: apiStatus({ calls, failed, unanswered, lastSuccessAt }),
      detail: [
        t('health.calls', { count: calls, shown: format.count(calls), failed: format.count(failed) }),
        ...(lastCode === null ? [] : [lastCode]),
      ].join(' · '),
    })),
    {
      name: t('health.tokens'),
      status: refused > 0 ? 'failed' : blocked > 0 ? 'blocked' : 'ok',
      detail:
        refused > 0
          ? t('health.tokensRefused', { count: refused })
          : blocked > 0
            ? t('health.tokensBlocked', { count: blocked })
            : t('health.tokensGood', { count: tokens.length }),
    },
    {
      name: t('health.temporal'),
      status: temporal === null ? 'off' : temporal.ok ? 'ok' : 'down',
      detail:
        temporal === null
          ? t('health.notHere')
          : (said(temporal.detail) ?? milliseconds(temporal.roundTripMs)),
    },
    {
      name: t('health.workers'),
      status: workers.alive > 0 ? 'ok' : 'down',
      detail:
        workers.alive > 0
          ? t('health.workersAlive', { count: workers.alive, versions: workers.versions.join(', ') })
          : workers.lastSeenAt === null
            ? t('health.workersNone')
            : t('health.workersLast', { at: format.instant(workers.lastSeenAt) }),
    },
    {
      name: t('health.ledger'),
      status: 'ok',
      detail: `${ledger.kind === 'postgres' ? 'PostgreSQL' : 'PGlite'} · ${milliseconds(ledger.roundTripMs)}`,
    },
    {
      name: t('health.kafka'),
      status: kafka === null ? 'off' : kafka.ok ? 'ok' : 'down',
      detail:
        kafka === null
          ? t('health.kafkaOff')
          : (said(kafka.detail) ??
            t('health.kafkaLag', { count: kafka.topics.reduce((sum, { lag }) => sum + lag, 0) })),
    },
  ];
}
