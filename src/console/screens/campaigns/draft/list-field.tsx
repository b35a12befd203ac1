// A list of times or dates: one row for each, with its problem below it.
import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { type Path, valueAt } from '../../../parts/draft/yaml-draft.ts';
import textStyles from '../../../parts/text.module.css';
import classes from '../campaigns.module.css';
import { useForm, useProblem } from './fields.tsx';

interface ListFieldProps<T> {
  readonly at: Path;
  readonly label: string;
  /** Instead of rows, where there is none. */
  readonly none: string;
  readonly add: string;
  /** What a new row has. */
  next(list: readonly unknown[]): string;
  /** Null: text that the row cannot show. It is shown as text, and can be removed. */
  read(text: unknown): T | null;
  /** What is wrong with a row before the server has seen it. */
  problemOf(value: T): string | null;
  remove(number: number): string;
  /** `problemId`: of the text that says what is wrong with the row; undefined: nothing is. */
  row(
    value: T,
    write: (text: string) => void,
    state: { number: number; problemId: string | undefined },
  ): ReactNode;
}

export function ListField<T>({ at, label, none, add, next, ...rows }: ListFieldProps<T>) {
  const { t } = useTranslation('campaign-form');
  const { value, set } = useForm();
  const found = valueAt(value, at);
  const problem = useProblem(at, !Array.isArray(found));
  if (found !== undefined && !Array.isArray(found))
    return (
      <TextInput
        label={label}
        description={t('draft.inYaml')}
        readOnly
        error={problem}
        value={typeof found === 'string' ? found : JSON.stringify(found)}
      />
    );
  const list: readonly unknown[] = found ?? [];
  const write = (changed: readonly unknown[]) => set(at, changed.length === 0 ? undefined : changed);
  return (
    <div role="group" aria-label={label} className={classes.list}>
      <div className={classes.listHead}>
        <span className={classes.listLabel}>{label}</span>
        {list.length === 0 && <span className={textStyles.small}>{none}</span>}
        <Button
          variant="subtle"
          size="compact-xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          aria-label={`${label}: ${add}`}
          onClick={() => write([...list, next(list)])}
        >
          {add}
        </Button>
      </div>
      {list.map((text, n) => (
        <ListRow
          // Rows have no name but their place.
          // oxlint-disable-next-line react/no-array-index-key
          key={n}
          at={[...at, n]}
          number={n + 1}
          text={text}
          onChange={(changed) => write(list.with(n, changed))}
          onRemove={() => write(list.toSpliced(n, 1))}
          {...rows}
        />
      ))}
      {problem !== null && <p className={classes.rowProblem}>{problem}</p>}
    </div>
  );
}

interface RowProps<T> extends Pick<ListFieldProps<T>, 'read' | 'problemOf' | 'remove' | 'row'> {
  readonly at: Path;
  readonly number: number;
  readonly text: unknown;
  onChange(text: string): void;
  onRemove(): void;
}

function ListRow<T>({ at, number, text, read, problemOf, remove, row, onChange, onRemove }: RowProps<T>) {
  const id = useId();
  const refused = useProblem(at);
  const value = read(text);
  const problem = (value === null ? null : problemOf(value)) ?? refused;
  const problemId = problem === null ? undefined : id;
  return (
    <div>
      <div className={classes.listRow}>
        {value === null ? (
          <TextInput
            size="xs"
            readOnly
            error={problem !== null}
            aria-describedby={problemId}
            aria-label={remove(number)}
            value={typeof text === 'string' ? text : JSON.stringify(text)}
          />
        ) : (
          row(value, onChange, { number, problemId })
        )}
        <ActionIcon variant="subtle" color="gray" aria-label={remove(number)} onClick={onRemove}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </div>
      {problem !== null && (
        <p id={id} className={classes.rowProblem}>
          {problem}
        </p>
      )}
    </div>
  );
}
