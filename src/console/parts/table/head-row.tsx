// The head of a table: names of columns, and buttons for those that the server sorts by.
import { Checkbox } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { ReactTable } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import type { Column, Features } from './columns.ts';
import classes from './data-table.module.css';

interface HeadRowProps<T extends object> {
  readonly table: ReactTable<Features, T>;
  readonly columns: readonly Column<T>[];
  readonly isSelectable: boolean;
}

export function HeadRow<T extends object>({ table, columns, isSelectable }: HeadRowProps<T>) {
  const { t } = useTranslation('table');
  return (
    <div role="rowgroup" className={classes.head}>
      <div role="row" aria-rowindex={1} className={classes.headRow}>
        {isSelectable && (
          <div role="columnheader" className={classes.check}>
            <Checkbox
              size="xs"
              aria-label={t('chooseAll')}
              checked={table.getIsAllRowsSelected()}
              indeterminate={table.getIsSomeRowsSelected()}
              onChange={table.getToggleAllRowsSelectedHandler()}
            />
            <span className={classes.chooseAll} aria-hidden>
              {t('chooseAll')}
            </span>
          </div>
        )}
        {columns.map(({ id, header, align = 'start', sortable = false, wideOnly = false }) => {
          const column = table.getColumn(id);
          const sorted = sortable && column !== undefined && column.getIsSorted();
          const Icon = sorted === 'asc' ? IconArrowUp : sorted === 'desc' ? IconArrowDown : IconArrowsSort;
          return (
            <div
              key={id}
              role="columnheader"
              className={classes.headCell}
              data-align={align}
              data-wide-only={wideOnly}
              aria-sort={sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : undefined}
            >
              {sortable ? (
                <button type="button" className={classes.sort} onClick={column?.getToggleSortingHandler()}>
                  {header}
                  <Icon size={12} aria-hidden data-sorted={sorted !== false} />
                </button>
              ) : (
                header
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
