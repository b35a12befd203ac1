// The variables that the flow gets: each with where its value comes from. Nothing else is sent.
import { Button, Fieldset, NativeSelect, Text, TextInput } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { valueAt } from '../../../parts/draft/yaml-draft.ts';
import classes from '../campaigns.module.css';
import { ORDER, useForm, useProblem } from './fields.tsx';
import type { Choices } from './lists.ts';
import {
  asKind,
  EXAMPLES,
  fieldsOf,
  readSource,
  SOURCE_KINDS,
  type SourceKind,
  type VariableSource,
  writeSource,
} from './variable-source.ts';

interface Props {
  readonly choices: Choices;
  /** What real people would get. */
  readonly preview: ReactNode;
}

export function VariableFields({ choices, preview }: Props) {
  const { t } = useTranslation('campaign-form');
  const { value } = useForm();
  const error = useProblem(['variables'], false);
  const names = namesOf(value);
  const parts = partsOf(value);
  const columns = choices.sources.flatMap(({ source, columns: own }) =>
    parts.some((part) => valueAt(part, ['source']) === source) ? own : [],
  );
  const fields = fieldsOf(
    parts.map((part) => String(valueAt(part, ['from']))),
    columns,
  );
  return (
    <Fieldset legend={t('variables.title')}>
      <Text size="sm" c="dimmed">
        {t('variables.about')}
      </Text>
      {error !== null && (
        <Text c="var(--mantine-color-error)" size="sm" role="alert">
          {error}
        </Text>
      )}
      <div className={classes.variables}>
        {names.length === 0 && <Text size="sm">{t('variables.none')}</Text>}
        {names.map((name) => (
          <Variable key={name} name={name} fields={fields} />
        ))}
      </div>
      <AddVariable names={names} />
      <Suggestions choices={choices} names={names} />
      {names.length > 0 && preview}
    </Fieldset>
  );
}

function namesOf(value: unknown): readonly string[] {
  const variables = valueAt(value, ['variables']);
  return typeof variables === 'object' && variables !== null ? Object.keys(variables) : [];
}

function partsOf(value: unknown): readonly unknown[] {
  const parts = valueAt(value, ['audience']);
  return Array.isArray(parts) ? parts : [];
}

function Variable({ name, fields }: { readonly name: string; readonly fields: readonly string[] }) {
  const { t } = useTranslation('campaign-form');
  const { value, set } = useForm();
  const list = useId();
  const at = ['variables', name];
  const error = useProblem(at);
  const found = valueAt(value, at);
  const source = readSource(found);
  const write = (next: VariableSource) => set(at, writeSource(next));
  return (
    <div className={classes.variable} role="group" aria-label={name}>
      <code className={classes.variableName}>{name}</code>
      {source === null ? (
        <TextInput
          label={t('variables.value')}
          description={t('draft.inYaml')}
          inputWrapperOrder={ORDER}
          value={JSON.stringify(found)}
          error={error}
          readOnly
        />
      ) : (
        <>
          <NativeSelect
            label={t('variables.from')}
            value={source.kind}
            data={SOURCE_KINDS.map((kind) => ({ value: kind, label: t(`variables.kind.${kind}`) }))}
            onChange={(event) => write(asKind(source, event.currentTarget.value as SourceKind))}
          />
          <TextInput
            label={t(`variables.kind.${source.kind}`)}
            placeholder={source.kind === 'field' ? (fields[0] ?? EXAMPLES.field) : EXAMPLES[source.kind]}
            list={source.kind === 'field' && fields.length > 0 ? list : undefined}
            value={source.text}
            error={error}
            autoComplete="off"
            onChange={(event) => write({ ...source, text: event.currentTarget.value })}
          />
          <datalist id={list}>
            {fields.map((field) => (
              <option key={field} value={field} />
            ))}
          </datalist>
          {source.kind === 'text' ? (
            <span />
          ) : (
            <TextInput
              label={t('variables.fallback')}
              placeholder={t('variables.leftOut')}
              value={source.fallback}
              autoComplete="off"
              onChange={(event) => write({ ...source, fallback: event.currentTarget.value })}
            />
          )}
        </>
      )}
      <Button variant="subtle" size="compact-xs" onClick={() => set(at, undefined)}>
        {t('variables.remove', { name })}
      </Button>
    </div>
  );
}

function AddVariable({ names }: { readonly names: readonly string[] }) {
  const { t } = useTranslation('campaign-form');
  const { set } = useForm();
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const isTaken = names.includes(name);
  const add = () => {
    if (name === '' || isTaken) return;
    set(['variables', name], '');
    setTyped('');
  };
  return (
    <div className={classes.line}>
      <TextInput
        aria-label={t('variables.name')}
        placeholder={t('variables.name')}
        value={typed}
        error={isTaken ? t('variables.taken') : undefined}
        autoComplete="off"
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') add();
        }}
      />
      <Button variant="default" size="xs" disabled={name === '' || isTaken} onClick={add}>
        {t('variables.add')}
      </Button>
    </div>
  );
}

/** Names that other campaigns send to the same flow. */
function Suggestions({ choices, names }: Pick<Props, 'choices'> & { readonly names: readonly string[] }) {
  const { t } = useTranslation('campaign-form');
  const { value, set } = useForm();
  const account = valueAt(value, ['account']);
  const flow = String(valueAt(value, ['flow']));
  const fitting = choices.variables.filter(
    (each) => each.account === account && String(each.flow) === flow && !names.includes(each.name),
  );
  if (fitting.length === 0) return null;
  return (
    <div className={classes.line}>
      <span>{t('variables.used')}</span>
      {fitting.map(({ name, expression, campaigns }) => (
        <Button
          key={JSON.stringify([name, expression])}
          variant="light"
          size="compact-xs"
          title={t('variables.usedBy', { campaigns: campaigns.join(', ') })}
          onClick={() => set(['variables', name], expression)}
        >
          {`${name}: ${readSource(expression)?.text ?? JSON.stringify(expression)}`}
        </Button>
      ))}
    </div>
  );
}
