// What a screen says about the columns of its table.
import {
  type ColumnDef,
  rowSelectionFeature,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
} from '@tanstack/react-table';
import type { ReactNode } from 'react';

/** The server sorts and makes pages: the table only knows which sorting and which rows were chosen. */
export const features = tableFeatures({ rowSelectionFeature, rowSortingFeature });
export type Features = typeof features;

export interface Column<T> {
  readonly id: string;
  readonly header: string;
  cell(row: T): ReactNode;
  /** The server sorts by it, under this id. */
  readonly sortable?: boolean;
  readonly align?: 'start' | 'end';
  /** A track of a CSS grid, such as `8rem` or `minmax(10rem, 2fr)`. */
  readonly width?: string;
  /** Left out of the cards of a narrow screen. */
  readonly wideOnly?: boolean;
}

export function definitionsOf<T extends object>(columns: readonly Column<T>[]): ColumnDef<Features, T>[] {
  return columns.map(({ id, header, cell, sortable = false }) => ({
    id,
    header,
    // An accessor makes a column sortable; the value itself is never compared here.
    accessorFn: () => id,
    enableSorting: sortable,
    cell: ({ row }) => cell(row.original),
  }));
}

export function tracksOf<T>(columns: readonly Column<T>[], isSelectable: boolean): string {
  const tracks = columns.map(({ width = 'minmax(6rem, 1fr)' }) => width);
  return (isSelectable ? ['2.25rem', ...tracks] : tracks).join(' ');
}

/** Every row needs the same width, or its columns would not stand under each other. In rem. */
export function minWidthOf<T>(columns: readonly Column<T>[], isSelectable: boolean): number {
  const widths = columns.map(({ width = '' }) => Number(/([\d.]+)rem/.exec(width)?.[1] ?? 6));
  const gaps = columns.length - 1 + (isSelectable ? 3.25 : 0);
  return widths.reduce((sum, width) => sum + width, gaps) + 2;
}

/** `-startedAt`: newest first. */
export function parseSort(text: string): SortingState {
  if (text === '') return [];
  const desc = text.startsWith('-');
  return [{ id: desc ? text.slice(1) : text, desc }];
}

export function writeSort(sorting: SortingState): string {
  const [first] = sorting;
  return first === undefined ? '' : `${first.desc ? '-' : ''}${first.id}`;
}
