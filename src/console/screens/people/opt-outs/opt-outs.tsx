// Who must not be messaged, since when, and what shows it.
import { Button } from '@mantine/core';
import { IconPlus, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Input } from '../../../api/client.ts';
import { useMay } from '../../../api/session.tsx';
import { useCall, usePages } from '../../../api/use-call.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import { dayStart } from '../../../format/day-start.ts';
import { useZone } from '../../../format/zone.tsx';
import { Section } from '../../../parts/page.tsx';
import { SidePanel } from '../../../parts/side-panel.tsx';
import { DataTable } from '../../../parts/table/data-table.tsx';
import { ChoiceFilter, DayFilter, Filters, ValueFilter } from '../../../parts/table/filters.tsx';
import { useColumns } from './columns.tsx';
import { ExportButton } from './export-button.tsx';
import { ImportForm } from './import-form.tsx';
import { RecordForm } from './record-form.tsx';

const SOURCES = ['reply', 'tag', 'operator', 'import', 'erase'] as const;
const STATES = ['active', 'withdrawn'] as const;

export default function OptOuts() {
  const { t } = useTranslation('opt-outs');
  const may = useMay('operator');
  const [panel, setPanel] = useState<'record' | 'import' | null>(null);
  const { name: zone } = useZone();
  const [{ account, source, state, since }] = useUrlState();
  const filter: Input<'GET /opt-outs'> = {
    account,
    source: SOURCES.find((each) => each === source),
    state: STATES.find((each) => each === state),
    since: dayStart(since, zone, 0),
  };
  const pages = usePages('GET /opt-outs', filter, 'optOuts');
  const accounts = (useCall('GET /accounts', {}).data?.accounts ?? []).map((each) => each.account);
  const columns = useColumns({ hasAccount: accounts.length > 1 && account === undefined });
  const isFiltered = [account, source, state, since].some((value) => value !== undefined);
  const close = () => setPanel(null);
  return (
    <Section
      title={t('title')}
      about={t('about')}
      actions={
        may && (
          <>
            <ExportButton accounts={account === undefined ? accounts : [account]} filter={filter} />
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconUpload size={14} aria-hidden />}
              onClick={() => setPanel('import')}
            >
              {t('import.button')}
            </Button>
            <Button
              size="compact-sm"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => setPanel('record')}
            >
              {t('record.button')}
            </Button>
          </>
        )
      }
      flush
    >
      <Filters pages={pages}>
        {accounts.length > 1 && <ValueFilter param="account" label={t('account')} values={accounts} />}
        <ChoiceFilter
          param="source"
          label={t('source')}
          options={SOURCES.map((value) => ({ value, label: t(`sourceOf.${value}`) }))}
        />
        <ChoiceFilter
          param="state"
          label={t('state')}
          options={STATES.map((value) => ({ value, label: t(`stateOf.${value}`) }))}
        />
        <DayFilter param="since" label={t('since')} />
      </Filters>
      <DataTable
        label={t('title')}
        pages={pages}
        columns={columns}
        rowId={({ id }) => String(id)}
        empty={{
          title: t(isFiltered ? 'noMatch' : 'none'),
          text: isFiltered ? undefined : t('noneText'),
        }}
      />
      <SidePanel title={t('record.title')} isOpen={panel === 'record'} onClose={close}>
        <RecordForm accounts={accounts} account={account} onDone={close} />
      </SidePanel>
      <SidePanel title={t('import.title')} isOpen={panel === 'import'} onClose={close}>
        <ImportForm accounts={accounts} account={account} onClose={close} />
      </SidePanel>
    </Section>
  );
}
