// Do we hear everybody, and does everybody hear us? Pollers, conversations, sinks, and what was given up.
import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCall } from '../../api/use-call.ts';
import { useUrlValue } from '../../app/use-url-state.ts';
import { Page, Section } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { ConversationTable } from './conversation-table.tsx';
import { DeadEvents } from './dead-events.tsx';
import { GapTable } from './gaps.tsx';
import { PollerTable } from './pollers.tsx';
import { SinkList } from './sinks.tsx';

/** Lag grows without any change that the server could announce. */
const EVERY_MS = 15_000;

export default function ConversationsScreen() {
  const { t } = useTranslation('conversations');
  const pollers = useCall('GET /pollers', {}, { everyMs: EVERY_MS });
  const sinks = useCall('GET /sinks', {}, { everyMs: EVERY_MS });
  const [tab, setTab] = useUrlValue<string>('tab', 'recent');
  const isLoaded = pollers.data !== undefined && sinks.data !== undefined;
  const blocked = (pollers.data?.pollers ?? []).filter(({ state }) => state === 'blocked').length;
  const troubled = (sinks.data?.sinks ?? []).filter(
    ({ circuit, dead }) => circuit === 'open' || dead > 0,
  ).length;
  const verdict =
    blocked + troubled === 0
      ? t('verdict.well')
      : t('verdict.trouble', { count: blocked + troubled, blocked, troubled });
  return (
    <Page title={t('title')} lead={isLoaded && verdict}>
      <Section title={t('pollers.title')} about={t('pollers.about')} flush>
        <Loaded of={pollers}>{({ pollers: all }) => <PollerTable pollers={all} />}</Loaded>
      </Section>
      <Section title={t('sinks.title')} about={t('sinks.about')} flush>
        <Loaded of={sinks}>
          {({ sinks: all }) => <SinkList sinks={all} onDead={() => setTab('dead')} />}
        </Loaded>
      </Section>
      <Tabs value={tab} onChange={(value) => setTab(value ?? 'recent')} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="recent">{t('tab.recent')}</Tabs.Tab>
          <Tabs.Tab value="dead">{t('tab.dead')}</Tabs.Tab>
          <Tabs.Tab value="gaps">{t('tab.gaps')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="recent" pt="md">
          <ConversationTable />
        </Tabs.Panel>
        <Tabs.Panel value="dead" pt="md">
          <DeadEvents />
        </Tabs.Panel>
        <Tabs.Panel value="gaps" pt="md">
          <GapTable />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
