// What the mapping makes of the first rows, while it is edited.
import { Table } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCall } from '../../../api/use-call.ts';
import { useFormat } from '../../../format/use-format.ts';
import listStyles from '../../../parts/list.module.css';
import { Reason } from '../../../parts/reason/reason.tsx';
import { UnmaskButton } from '../../../parts/reveal/unmask.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { Status } from '../../../parts/status.tsx';
import textStyles from '../../../parts/text.module.css';
import { None } from '../../../parts/values.tsx';
import { shown } from '../data.ts';
import classes from '../syncs.module.css';
import { useLine } from '../use-line.ts';
import type { Mapping } from './mapping-draft.ts';

const WAIT_MS = 300;
/** Beside the number, and the country that it was read in. */
const COLUMNS = ['name', 'email', 'document'] as const;

interface Props {
  /** The file: an upload, or that of a sync. */
  readonly of: { readonly upload: string; readonly encoding: string } | { readonly sync: string };
  readonly mapping: Mapping;
}

export function MappingPreview({ of, mapping }: Props) {
  const { t } = useTranslation(['syncs', 'first-sync', 'common']);
  const format = useFormat();
  const lineOf = useLine();
  const [unmask, setUnmask] = useState(false);
  const [settled] = useDebouncedValue(mapping, WAIT_MS);
  const upload = 'upload' in of ? of.upload : null;
  const encoding = 'upload' in of ? of.encoding : 'auto';
  const sync = 'sync' in of ? of.sync : null;
  const ofUpload = useCall(
    'POST /uploads/{upload}/preview',
    { upload: upload ?? '', mapping: settled, encoding, unmask },
    { enabled: upload !== null },
  );
  const ofSync = useCall(
    'POST /syncs/{sync}/preview',
    { sync: sync ?? '', mapping: settled, unmask },
    { enabled: sync !== null },
  );
  const query = upload === null ? ofSync : ofUpload;
  return (
    <Loaded of={query}>
      {({ rows, mapped, rejected, garbled, records, problems, lines }) => (
        <div className={classes.stack}>
          <div role="status">
            {t('first-sync:previewOf', {
              rows: format.count(rows),
              mapped: format.count(mapped),
              rejected: format.count(rejected),
            })}
          </div>
          {garbled > 0 && (
            <p className={classes.notice} data-tone="bad" role="alert">
              {t('first-sync:garbled', { count: garbled, shown: format.count(garbled) })}
            </p>
          )}
          {!unmask && records.length > 0 && (
            <UnmaskButton label={t('syncs:rows.reveal')} onUnmask={() => setUnmask(true)} />
          )}
          {/* A region that scrolls needs the keyboard too. */}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('first-sync:preview')}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('first-sync:previewRow')}</Table.Th>
                  <Table.Th>{t('first-sync:number')}</Table.Th>
                  <Table.Th>{t('first-sync:readIn')}</Table.Th>
                  {COLUMNS.map((column) => (
                    <Table.Th key={column}>{t(`first-sync:${column}`)}</Table.Th>
                  ))}
                  <Table.Th>{t('first-sync:tags')}</Table.Th>
                  <Table.Th>{t('first-sync:stage')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {records.map(({ row, record, country }) => {
                  const { contact = {}, tags = [], card } = record as PreviewRecord;
                  return (
                    <Table.Tr key={row}>
                      <Table.Td>{lineOf(row, lines)}</Table.Td>
                      <Table.Td>{shown(contact['number']) ?? <None />}</Table.Td>
                      <Table.Td>{country ?? <None />}</Table.Td>
                      {COLUMNS.map((column) => (
                        <Table.Td key={column}>{shown(contact[column]) ?? <None />}</Table.Td>
                      ))}
                      <Table.Td>{tags.length === 0 ? <None /> : tags.join(', ')}</Table.Td>
                      <Table.Td>{shown(card?.stage) ?? <None />}</Table.Td>
                    </Table.Tr>
                  );
                })}
              </Table.Tbody>
            </Table>
          </div>
          {problems.length > 0 && (
            <ul className={listStyles.list} aria-label={t('first-sync:rejectedRows')}>
              {problems.map(({ field, code, reason, count, rows: some }) => (
                <li key={`${field} ${code} ${reason}`} className={classes.row}>
                  <span className={classes.grow}>
                    {field}: <Reason code={code} reason={reason} />
                    <span className={textStyles.small}>
                      {' '}
                      {t('first-sync:rejectedAt', { rows: some.map((row) => lineOf(row, lines)).join(', ') })}
                    </span>
                  </span>
                  <Status of="rejected" label={format.count(count)} />
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Loaded>
  );
}

interface PreviewRecord {
  readonly contact?: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[];
  readonly card?: { readonly stage?: unknown };
}
