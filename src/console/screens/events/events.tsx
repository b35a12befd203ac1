// What came in, what became of it, and what did not get in: events, refusals, the lag of Kafka, refused requests, dead
// letters.
import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCall } from '../../api/use-call.ts';
import { useUrlValue } from '../../app/use-url-state.ts';
import { useFormat } from '../../format/use-format.ts';
import { Page } from '../../parts/page.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { EventTable } from './event-table.tsx';
import { KafkaLag } from './kafka-lag.tsx';
import { Refusals } from './refusals.tsx';
import { RefusedRequests } from './refused-requests.tsx';

/** More than this is shown as `100+`. */
const MOST = 100;
const EVERY_MS = 10_000;

export default function EventsScreen() {
  const { t } = useTranslation('events');
  const format = useFormat();
  const [tab, setTab] = useUrlValue<string>('tab', 'events');
  const trouble = useCall('GET /events', { states: ['failed', 'unknown', 'blocked'], limit: MOST });
  // The server counts dead letters in the background, so this waits for no topic to be read.
  const overview = useCall('GET /overview', {}, { everyMs: EVERY_MS });
  const count = trouble.data?.events.length ?? 0;
  const letters = (overview.data?.needs ?? [])
    .filter(({ kind }) => kind === 'dead-letters')
    .reduce((sum, need) => sum + need.count, 0);
  const requests = useCall('GET /refused-requests', { limit: 1 }, { everyMs: EVERY_MS });
  const open = requests.data?.total ?? 0;
  const isRead = overview.data !== undefined && requests.data !== undefined;
  const verdict = [
    ...(count === 0
      ? []
      : [t('verdict.trouble', { count, shown: trouble.data?.next == null ? count : `${MOST}+` })]),
    ...(open === 0 ? [] : [t('verdict.requests', { count: open, shown: format.count(open) })]),
    ...(letters === 0 ? [] : [t('verdict.letters', { count: letters, shown: format.count(letters) })]),
  ].join(' ');
  return (
    <Page title={t('title')} lead={trouble.data !== undefined && (verdict || (isRead && t('verdict.well')))}>
      <Tabs value={tab} onChange={(value) => setTab(value ?? 'events')} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="events">{t('tab.events')}</Tabs.Tab>
          <Tabs.Tab value="refusals">{t('tab.refusals')}</Tabs.Tab>
          <Tabs.Tab value="kafka">{t('tab.kafka')}</Tabs.Tab>
          <Tabs.Tab value="refused">{t('tab.refused')}</Tabs.Tab>
          <Tabs.Tab value="dead">{t('tab.dead')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="events" pt="md">
          <EventTable />
        </Tabs.Panel>
        <Tabs.Panel value="refusals" pt="md">
          <Refusals />
        </Tabs.Panel>
        <Tabs.Panel value="kafka" pt="md">
          <KafkaLag />
        </Tabs.Panel>
        <Tabs.Panel value="refused" pt="md">
          <RefusedRequests />
        </Tabs.Panel>
        <Tabs.Panel value="dead" pt="md">
          <DeadLetters />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
