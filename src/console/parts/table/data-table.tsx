// A table of any length: the server gives pages, and only the rows in view are in the page. On a narrow screen each row is a
// card. Arrow keys, Home and End move between rows; Enter opens one.
import { Button, Checkbox } from '@mantine/core';
import { functionalUpdate, type RowSelectionState, useTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Pages } from '../../api/use-call.ts';
import { useUrlValue } from '../../app/use-url-state.ts';
import { useFormat } from '../../format/use-format.ts';
import { EmptyState, ErrorState, LoadingLines } from '../states.tsx';
import {
  type Column,
  definitionsOf,
  features,
  minWidthOf,
  parseSort,
  tracksOf,
  writeSort,
} from './columns.ts';
import classes from './data-table.module.css';
import { HeadRow } from './head-row.tsx';
import { useRowKeys } from './use-row-keys.ts';

const ROW_PX = 41;
/** More rows are asked for when the view comes this close to the last one. */
const AHEAD_ROWS = 30;

export interface DataTableProps<T extends object> {
  /** What the rows are, for a screen reader. */
  readonly label: string;
  readonly pages: Pages<T>;
  readonly columns: readonly Column<T>[];
  rowId(row: T): string;
  /** Where there are no rows, or none for these filters. */
  readonly empty: { readonly title: string; readonly text?: ReactNode; readonly action?: ReactNode };
  /** Opens a row. Its first cell becomes a button. */
  readonly onOpen?: (row: T) => void;
  /** Row that is open now. */
  readonly openId?: string | null;
  /** Name in the address under which the sorting is kept, and the usual sorting, such as `-startedAt`. */
  readonly sort?: { readonly param: string; readonly fallback: string };
  /** What can be done with chosen rows. With it each row has a checkbox. */
  readonly bulk?: ((rows: readonly T[], clear: () => void) => ReactNode) | undefined;
}

export function DataTable<T extends object>(props: DataTableProps<T>) {
  const { label, pages, columns, rowId, empty, onOpen, openId = null, sort, bulk } = props;
  const { t } = useTranslation('table');
  const format = useFormat();
  const [sortText, setSort] = useUrlValue(sort?.param ?? 'sort', sort?.fallback ?? '');
  const [rowSelection, setSelection] = useState<RowSelectionState>({});
  const definitions = useMemo(() => definitionsOf(columns), [columns]);
  const sorting = useMemo(() => parseSort(sortText), [sortText]);
  const data = useMemo(() => [...pages.rows], [pages.rows]);
  const table = useTable({
    features,
    columns: definitions,
    data,
    getRowId: rowId,
    manualSorting: true,
    enableSortingRemoval: false,
    state: { rowSelection, sorting },
    onSortingChange: (updater) => setSort(writeSort(functionalUpdate(updater, sorting))),
    onRowSelectionChange: setSelection,
  });
  const { rows } = table.getRowModel();
  const view = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => view.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { hasMore, isLoadingMore, loadMore } = pages;
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - AHEAD_ROWS) loadMore();
  }, [hasMore, isLoadingMore, loadMore, last, rows.length]);
  const keys = useRowKeys(view, rows.length, (index) => virtual.scrollToIndex(index));

  if (rows.length === 0) {
    if (pages.error !== null) return <ErrorState error={pages.error} onRetry={pages.retry} />;
    if (pages.isLoading) return <LoadingLines lines={6} />;
    return <EmptyState {...empty} />;
  }
  const chosen = table.getSelectedRowModel().rows.map(({ original }) => original);
  const tracks = {
    '--tracks': tracksOf(columns, bulk !== undefined),
    '--min-width': `${minWidthOf(columns, bulk !== undefined)}rem`,
  } as React.CSSProperties;
  return (
    <div className={classes.table} style={tracks}>
      {bulk !== undefined && chosen.length > 0 && (
        <div className={classes.bulk} role="status">
          <span>{t('chosen', { count: chosen.length })}</span>
          {bulk(chosen, () => setSelection({}))}
        </div>
      )}
      {pages.error !== null && <ErrorState error={pages.error} onRetry={pages.retry} />}
      {pages.isOutdated && (
        <div className={classes.bulk}>
          <span>{t('outdated')}</span>
          <Button variant="default" size="compact-xs" onClick={pages.restart}>
            {t('restart')}
          </Button>
        </div>
      )}
      <div
        className={classes.view}
        ref={view}
        data-refreshing={pages.isRefreshing}
        {...(onOpen === undefined ? { tabIndex: 0, role: 'region', 'aria-label': label } : {})}
      >
        <div
          role="table"
          aria-label={label}
          aria-rowcount={pages.hasMore ? -1 : rows.length + 1}
          aria-busy={isLoadingMore}
        >
          <HeadRow table={table} columns={columns} isSelectable={bulk !== undefined} />
          <div role="rowgroup" className={classes.rows} style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => {
              const row = rows[item.index];
              if (row === undefined) return null;
              return (
                <div
                  key={item.key}
                  ref={virtual.measureElement}
                  data-index={item.index}
                  data-open={row.id === openId}
                  data-clickable={onOpen !== undefined}
                  role="row"
                  aria-rowindex={item.index + 2}
                  className={classes.row}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  {bulk !== undefined && (
                    <div role="cell" className={classes.check}>
                      <Checkbox
                        size="xs"
                        aria-label={t('choose', { row: row.id })}
                        checked={row.getIsSelected()}
                        onChange={row.getToggleSelectedHandler()}
                      />
                    </div>
                  )}
                  {columns.map(({ id, header, align = 'start', wideOnly = false, cell }, index) => (
                    <div
                      key={id}
                      role="cell"
                      className={classes.cell}
                      data-align={align}
                      data-wide-only={wideOnly}
                    >
                      <span className={classes.cellName} aria-hidden>
                        {header}
                      </span>
                      {index === 0 && onOpen !== undefined ? (
                        <button
                          type="button"
                          className={classes.open}
                          data-row-button
                          tabIndex={item.index === keys.active ? 0 : -1}
                          onFocus={() => keys.setActive(item.index)}
                          onKeyDown={keys.onKeyDown}
                          onClick={() => onOpen(row.original)}
                        >
                          {cell(row.original)}
                        </button>
                      ) : (
                        cell(row.original)
                      )}
                    </div>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
      <div className={classes.foot} role="status">
        {t(pages.hasMore ? 'loadedMore' : 'loaded', {
          count: rows.length,
          shown: format.count(rows.length),
        })}
      </div>
    </div>
  );
}
