// YAML to edit as text.
import { Textarea } from '@mantine/core';

interface YamlFieldProps {
  readonly label: string;
  readonly value: string;
  /** Why it cannot be read; null when it can. */
  readonly problem: string | null;
  /** Lines that show at least, and at most. */
  readonly rows: readonly [least: number, most: number];
  onChange(text: string): void;
}

export function YamlField({ label, value, problem, rows: [minRows, maxRows], onChange }: YamlFieldProps) {
  return (
    <Textarea
      label={label}
      value={value}
      autosize
      minRows={minRows}
      maxRows={maxRows}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      error={problem}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
