// Fields of the form. Each reads and writes one place of the draft, and shows the problems of that place.
import { NativeSelect, Switch, TextInput } from '@mantine/core';
import { createContext, useContext, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DEFAULTS } from '../../../../jobs/campaigns/constants.ts';
import { type Path, pathText, valueAt } from '../../../parts/draft/yaml-draft.ts';
import { type Problem, useProblemWords } from './problem-words.ts';
import { fromText, isShown, type Kind, toText } from './values.ts';

interface Form {
  readonly value: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
  set(path: Path, value: unknown): void;
  /** A field says that it shows the problems of a place, until it calls what this returns. */
  claim(place: Place): () => void;
}

export interface Place {
  readonly text: string;
  /** The field also shows what is wrong inside of the place. */
  readonly isLeaf: boolean;
}

export function isShownAt(path: string | null, { text, isLeaf }: Place): boolean {
  if (path === null) return false;
  return path === text || (isLeaf && (path.startsWith(`${text}.`) || path.startsWith(`${text}[`)));
}

const FormContext = createContext<Form | null>(null);
export const FormProvider = FormContext.Provider;

export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === null) throw new Error('a field stands outside of its form');
  return form;
}

/**
 * What is wrong with a place and what is in it.
 * @param isQuiet leaves problems of the place to the list beside the form
 */
export function useProblem(at: Path, isLeaf = true, isQuiet = false): string | null {
  const { problems, claim } = useForm();
  const wordsOf = useProblemWords();
  const text = pathText(at);
  useEffect(() => (isQuiet ? undefined : claim({ text, isLeaf })), [claim, text, isLeaf, isQuiet]);
  if (isQuiet) return null;
  const own = problems.filter(({ path }) => isShownAt(path, { text, isLeaf }));
  return own.length === 0 ? null : own.map(wordsOf).join(' · ');
}

interface FieldProps {
  readonly at: Path;
  readonly label: string;
  readonly description?: string;
}

interface TextFieldProps extends FieldProps {
  readonly kind?: Kind;
  /** An example. @default what a missing value means */
  readonly placeholder?: string;
  /** Offered while typing. */
  readonly options?: readonly string[];
}

/** Inputs of one row stand at one height, with or without a description. */
export const ORDER: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
];
const NOTHING: readonly string[] = [];

export function Field({
  at,
  label,
  description,
  kind = 'text',
  placeholder,
  options = NOTHING,
}: TextFieldProps) {
  const { t } = useTranslation('campaign-form');
  const { value, set } = useForm();
  const list = useId();
  const now = valueAt(value, at);
  const [isVisited, setVisited] = useState(false);
  // A field that nobody has come to yet is not wrong. The list beside the form says what is still missing.
  const error = useProblem(at, true, now === undefined && !isVisited);
  // The text while it is typed: "20, " is not yet the list of two that it becomes.
  const [typed, setTyped] = useState<string | null>(null);
  const isForeign = now !== undefined && !isShown(kind, now) && typed === null;
  return (
    <>
      <TextInput
        label={label}
        description={isForeign ? t('draft.inYaml') : description}
        inputWrapperOrder={ORDER}
        placeholder={placeholder ?? toText(kind, valueAt(DEFAULTS, at))}
        readOnly={isForeign}
        inputMode={kind === 'number' || kind === 'share' ? 'decimal' : undefined}
        list={options.length === 0 ? undefined : list}
        value={typed ?? toText(kind, now)}
        error={error}
        autoComplete="off"
        onBlur={() => {
          setTyped(null);
          setVisited(true);
        }}
        onChange={(event) => {
          const text = event.currentTarget.value;
          setTyped(text);
          set(at, fromText(kind, text));
        }}
      />
      {options.length > 0 && (
        <datalist id={list}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </>
  );
}

interface ChoiceProps extends FieldProps {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** What no choice means; without it, something must be chosen. */
  readonly none?: string;
  readonly isNumber?: boolean;
}

export function Choice({ at, label, description, options, none, isNumber = false }: ChoiceProps) {
  const { t } = useTranslation('campaign-form');
  const { value, set } = useForm();
  const found = valueAt(value, at);
  const [isVisited, setVisited] = useState(false);
  const error = useProblem(at, true, found === undefined && !isVisited);
  const isComplex = typeof found === 'object' && found !== null;
  const now = found === undefined ? '' : isComplex ? JSON.stringify(found) : String(found as string);
  const isListed = now === '' || options.some((option) => option.value === now);
  return (
    <NativeSelect
      label={label}
      description={isComplex ? t('draft.inYaml') : description}
      inputWrapperOrder={ORDER}
      value={now}
      error={error}
      disabled={isComplex}
      onBlur={() => setVisited(true)}
      data={[
        ...(none === undefined && now !== '' ? [] : [{ value: '', label: none ?? t('draft.choose') }]),
        ...options,
        ...(isListed ? [] : [{ value: now, label: now }]),
      ]}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        set(at, chosen === '' ? undefined : isNumber ? Number(chosen) : chosen);
      }}
    />
  );
}

/** What a missing value means is removed from the file when it is chosen. */
export function Toggle({ at, label, description }: FieldProps) {
  const { value, set } = useForm();
  const error = useProblem(at);
  const fallback = valueAt(DEFAULTS, at) === true;
  const now = valueAt(value, at) ?? fallback;
  return (
    <Switch
      label={label}
      description={description}
      error={error}
      checked={now === true}
      onChange={(event) => {
        const checked = event.currentTarget.checked;
        set(at, checked === fallback ? undefined : checked);
      }}
    />
  );
}
