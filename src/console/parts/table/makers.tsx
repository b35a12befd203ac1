// Columns that most tables have. Their id is the field of the row that they show.
import { Count, Time, type TimeProps } from '../values.tsx';
import type { Column } from './columns.ts';

type Size = Pick<Column<never>, 'width' | 'wideOnly'>;

export function timeColumn<K extends string>(
  id: K,
  header: string,
  { as = 'relative', ...size }: Size & Pick<TimeProps, 'as'>,
): Column<Readonly<Record<K, string | null>>> {
  return { id, header, cell: (row) => <Time at={row[id]} as={as} />, ...size };
}

export function countColumn<K extends string>(
  id: K,
  header: string,
  size: Size,
): Column<Readonly<Record<K, number | null>>> {
  return { id, header, align: 'end', cell: (row) => <Count of={row[id]} />, ...size };
}
