// A row of the source as readers find it: by the line of the file, or by its number where the source is no file.
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { Lines } from '../../../jobs/sync/contract/lines.ts';
import { useFormat } from '../../format/use-format.ts';

export function useLine() {
  const { t } = useTranslation('syncs');
  const format = useFormat();
  return useCallback(
    (row: number, lines: Lines) => {
      const line = lines[row];
      return line === undefined
        ? t('rows.rowOf', { row: format.count(row) })
        : t('rows.lineOf', { line: format.count(line) });
    },
    [t, format],
  );
}
