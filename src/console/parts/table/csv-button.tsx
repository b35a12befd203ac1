// Saves all rows of a table, not only those of its pages, as CSV that a spreadsheet opens and does not run.
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { csvLine } from '../../../core/csv.ts';
import { notifyDone, notifyError } from '../../app/notify.ts';
import { saveCsv } from '../../app/save-file.ts';
import { useFormat } from '../../format/use-format.ts';

/** More rows do not fit well into a page. */
const MAX_ROWS = 100_000;

interface CsvPage<T, C> {
  readonly rows: readonly T[];
  /** Null: no page follows. */
  readonly next: C | null;
}

export interface CsvButtonProps<T, C> {
  /** Of the file. */
  readonly name: string;
  /** Fields of a row. Their names are the first line. */
  readonly columns: readonly { readonly [K in keyof T]: T[K] extends Cell ? K : never }[keyof T][];
  /** @param after where the page begins; undefined for the first page */
  read(after: C | undefined): Promise<CsvPage<T, C>>;
  /** What to say when there are more rows than the file has. */
  cut(rows: string): string;
  /** Asks before anything is read. False: nothing is saved. */
  readonly ask?: () => Promise<boolean>;
}

type Cell = string | number | boolean | null;

export function CsvButton<T, C>({ name, columns, read, cut, ask }: CsvButtonProps<T, C>) {
  const { t } = useTranslation('common');
  const format = useFormat();
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    if (ask !== undefined && !(await ask())) return;
    setBusy(true);
    try {
      const lines = [csvLine(columns.map(String))];
      let page = await read(undefined);
      for (;;) {
        for (const row of page.rows) lines.push(csvLine(columns.map((column) => row[column] as Cell)));
        if (page.next === null || lines.length > MAX_ROWS) break;
        page = await read(page.next);
      }
      saveCsv(name, lines.join(''));
      if (page.next !== null) notifyDone(cut(format.count(lines.length - 1)));
    } catch (error) {
      notifyError(error as Error, t);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      variant="default"
      size="compact-sm"
      leftSection={<IconDownload size={14} aria-hidden />}
      loading={isBusy}
      onClick={() => void save()}
    >
      CSV
    </Button>
  );
}
