// Work that waits for calls, and when it will be done at the present pace.
import { Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';
import { EmptyState } from '../../parts/states.tsx';
import textStyles from '../../parts/text.module.css';
import { Duration } from '../../parts/values.tsx';
import type { Overview } from './data.ts';
import classes from './overview.module.css';

export function WaitingTable({ waiting }: Pick<Overview, 'waiting'>) {
  const { t } = useTranslation('overview');
  const { t: common } = useTranslation('common');
  const format = useFormat();
  if (waiting.length === 0) return <EmptyState title={t('waiting.none')} />;
  return (
    <Table className={classes.table} verticalSpacing={6} horizontalSpacing="md">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('waiting.what')}</Table.Th>
          <Table.Th ta="end">{t('waiting.count')}</Table.Th>
          <Table.Th ta="end">{t('waiting.eta')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {waiting.map(({ lane, kind, account, name, count, exact, etaSeconds }) => (
          <Table.Tr key={[kind, account, name, lane].join(' ')}>
            <Table.Td>
              {name ?? account}
              <div className={textStyles.small}>
                {t(`waiting.kind.${kind}`)}
                {lane !== null && ` · ${common(`lane.${lane}`)}`}
              </div>
            </Table.Td>
            <Table.Td ta="end">
              {exact ? format.count(count) : t('waiting.estimated', { shown: format.count(count) })}
            </Table.Td>
            <Table.Td ta="end">
              <Duration seconds={etaSeconds} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
