// Who is it, and who must not be messaged: the search for people, and the registry of opt-outs.
import { Tabs } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useUrlState } from '../../app/use-url-state.ts';
import { Page } from '../../parts/page.tsx';
import { LoadingLines } from '../../parts/states.tsx';
import { Search } from './search.tsx';

// Most visits are a search, which needs no table.
const OptOuts = lazy(() => import('./opt-outs/opt-outs.tsx'));

export default function PeopleScreen() {
  const { t } = useTranslation('people');
  const [{ tab = 'search' }, change] = useUrlState();
  return (
    <Page title={t('title')} lead={t(tab === 'opt-outs' ? 'leadOptOuts' : 'lead')}>
      <Tabs
        value={tab}
        onChange={(value) => change({ tab: value === 'search' ? null : value })}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="search">{t('tab.search')}</Tabs.Tab>
          <Tabs.Tab value="opt-outs">{t('tab.optOuts')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="search" pt="md">
          <Search />
        </Tabs.Panel>
        <Tabs.Panel value="opt-outs" pt="md">
          <Suspense fallback={<LoadingLines lines={6} />}>
            <OptOuts />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
