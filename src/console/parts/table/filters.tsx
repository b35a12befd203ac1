// Filters above a table. Each is a value in the address.
import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUrlValue } from '../../app/use-url-state.ts';
import classes from './data-table.module.css';

export function Filters({ children }: { readonly children: React.ReactNode }) {
  const { t } = useTranslation('common');
  return (
    <Group gap="xs" p="sm" role="group" className={classes.filters} aria-label={t('table.filters')}>
      {children}
    </Group>
  );
}

interface ChoiceFilterProps {
  readonly param: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** One of several values, or all. */
export function ChoiceFilter({ param, label, options }: ChoiceFilterProps) {
  const { t } = useTranslation('common');
  const [value, set] = useUrlValue<string>(param, '');
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={value}
      data={[{ value: '', label: t('table.all', { what: label }) }, ...options]}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
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
