// Work that waits for calls, in the order of the line, and when it will be done at the present pace.
import { Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';
import { useRouteName } from '../../format/use-route-name.ts';
import { LaneName } from '../../parts/lane/lane-name.tsx';
import { Section } from '../../parts/page.tsx';
import { EmptyState } from '../../parts/states.tsx';
import textStyles from '../../parts/text.module.css';
import { Count, Duration, Time } from '../../parts/values.tsx';
import classes from './budget.module.css';
import type { Overview } from './data.ts';

export function WaitingWork({ waiting }: Pick<Overview, 'waiting'>) {
  const { t } = useTranslation('budget');
  return (
    <Section title={t('waiting.title')} about={t('waiting.about')} flush>
      <WaitingTable waiting={waiting} />
    </Section>
  );
}

function WaitingTable({ waiting }: Pick<Overview, 'waiting'>) {
  const { t } = useTranslation('budget');
  const format = useFormat();
  const routeName = useRouteName();
  if (waiting.length === 0) return <EmptyState title={t('waiting.none')} />;
  return (
    <Table className={classes.table} verticalSpacing={6} horizontalSpacing="md">
      <Table.Thead>
        <Table.Tr>
          <Table.Th ta="end">{t('waiting.place')}</Table.Th>
          <Table.Th>{t('waiting.what')}</Table.Th>
          <Table.Th ta="end">{t('waiting.count')}</Table.Th>
          <Table.Th ta="end">{t('waiting.eta')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {waiting.map(({ place, lane, kind, account, name, count, exact, since, etaSeconds, waitsFor }) => (
          <Table.Tr key={[kind, account, name, lane].join(' ')}>
            <Table.Td ta="end">
              <Count of={place} />
            </Table.Td>
            <Table.Td>
              {routeName(name)}
              <div className={textStyles.small}>
                {t(`waiting.kind.${kind}`)}
                {account !== null && ` · ${account}`}
                {lane !== null && (
                  <>
                    {' · '}
                    <LaneName of={lane} />
                  </>
                )}
                {since !== null && (
                  <>
                    {' · '}
                    <Time at={since} as="ago" />
                  </>
                )}
                {lane !== null && place === null && ` · ${t('waiting.stands')}`}
              </div>
            </Table.Td>
            <Table.Td ta="end">
              {exact ? format.count(count) : t('waiting.estimated', { shown: format.count(count) })}
            </Table.Td>
            <Table.Td ta="end">
              {waitsFor === null ? <Duration seconds={etaSeconds} /> : t(`waiting.waitsFor.${waitsFor}`)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
