// Filters above a table. Each is a value in the address.
import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Pages } from '../../api/use-call.ts';
import { useUrlValue } from '../../app/use-url-state.ts';
import { useFormat } from '../../format/use-format.ts';
import textStyles from '../text.module.css';
import classes from './data-table.module.css';

interface FiltersProps {
  readonly children: React.ReactNode;
  /** What the filters select; their number stands beside them. */
  readonly pages?: Pages<object>;
}

export function Filters({ children, pages }: FiltersProps) {
  const { t } = useTranslation('table');
  return (
    <Group gap="xs" p="sm" role="group" className={classes.filters} aria-label={t('filters')}>
      {children}
      {pages !== undefined && <Matches pages={pages} />}
    </Group>
  );
}

function Matches({ pages: { rows, isLoading, hasMore, error } }: { readonly pages: Pages<object> }) {
  const { t } = useTranslation('table');
  const format = useFormat();
  if (isLoading || error !== null) return null;
  return (
    <span className={classes.matches}>
      {t(hasMore ? 'matchesMore' : 'matches', {
        count: rows.length,
        shown: format.count(rows.length),
      })}
    </span>
  );
}

interface ChoiceFilterProps {
  readonly param: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** One of several values, or all. */
export function ChoiceFilter({ param, label, options }: ChoiceFilterProps) {
  const { t } = useTranslation('table');
  const [value, set] = useUrlValue<string>(param, '');
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={value}
      data={[{ value: '', label: t('all', { what: label }) }, ...options]}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

interface ValueFilterProps {
  readonly param: string;
  readonly label: string;
  /** Values that exist, in any order, also twice. The chosen one is offered even if it is not among them. */
  readonly values: readonly (string | null)[];
  /** Words for a value, where it is not a name. */
  readonly wordOf?: (value: string) => string;
}

/** One of the values that exist, or all. */
export function ValueFilter({ param, label, values, wordOf }: ValueFilterProps) {
  const [chosen] = useUrlValue<string>(param, '');
  const all = new Set(
    [...values, chosen].flatMap((value) => (value === null || value === '' ? [] : [value])),
  );
  const options = [...all]
    .toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true }))
    .map((value) => ({ value, label: wordOf?.(value) ?? value }));
  return <ChoiceFilter param={param} label={label} options={options} />;
}

/** Free text. Never for personal data: it stands in the address. */
export function TextFilter({ param, label }: { readonly param: string; readonly label: string }) {
  const [value, set] = useUrlValue<string>(param, '');
  const [text, setText] = useState(value);
  const later = useDebouncedCallback(set, 300);
  return (
    <TextInput
      size="xs"
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        later(event.currentTarget.value);
      }}
    />
  );
}

/** A day, as `dayStart` reads it. */
export function DayFilter({ param, label }: { readonly param: string; readonly label: string }) {
  const [value, set] = useUrlValue<string>(param, '');
  return (
    <TextInput
      size="xs"
      type="date"
      aria-label={label}
      title={label}
      value={value}
      leftSection={<span className={textStyles.small}>{label}</span>}
      leftSectionWidth={48}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}
