// How far each route is behind its topics.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useCall } from '../../api/use-call.ts';
import { Section } from '../../parts/page.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { Count } from '../../parts/values.tsx';
import classes from './events.module.css';

type Cluster = Output<'GET /kafka/lag'>['clusters'][number];

const EVERY_MS = 10_000;

export function KafkaLag() {
  const { t } = useTranslation('events');
  const found = useCall('GET /kafka/lag', {}, { everyMs: EVERY_MS });
  return (
    <Loaded of={found}>
      {({ clusters }) =>
        clusters.length === 0 ? (
          <Section title={t('kafka.title')} flush>
            <EmptyState title={t('kafka.none')} text={t('kafka.noneText')} />
          </Section>
        ) : (
          <div className={classes.stack}>
            {clusters.map((cluster) => (
              <ClusterLag key={cluster.cluster} cluster={cluster} />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

function ClusterLag({ cluster: { cluster, problem, partitions } }: { readonly cluster: Cluster }) {
  const { t } = useTranslation('events');
  const total = partitions.reduce((sum, { lag }) => sum + lag, 0);
  return (
    <Section
      title={t('kafka.of', { cluster })}
      about={problem === null ? t('kafka.behind', { count: total }) : undefined}
      flush
    >
      {problem !== null && (
        <EmptyState title={t('kafka.away')} text={<Reason code={problem.code} reason={problem.message} />} />
      )}
      {partitions.length > 0 && (
        <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('kafka.title')}>
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">{t('events.route')}</th>
                <th scope="col">{t('kafka.topic')}</th>
                <th scope="col" data-align="end">
                  {t('kafka.partition')}
                </th>
                <th scope="col" data-align="end">
                  {t('kafka.lag')}
                </th>
                <th scope="col" data-align="end">
                  {t('kafka.next')}
                </th>
                <th scope="col" data-align="end">
                  {t('kafka.end')}
                </th>
              </tr>
            </thead>
            <tbody>
              {partitions.map(({ route, topic, partition, lag, next, end }) => (
                <tr key={`${topic}/${partition}`}>
                  <td>{route}</td>
                  <td>{topic}</td>
                  <td data-align="end">{partition}</td>
                  <td data-align="end">
                    <Count of={lag} />
                  </td>
                  <td data-align="end">{next ?? '–'}</td>
                  <td data-align="end">{end}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}
