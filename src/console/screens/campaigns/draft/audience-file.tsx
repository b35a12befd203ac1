// An uploaded file as the audience: Sluice recognizes the column with the numbers and their country, and keeps the file as
// a source.
import { Button, FileButton, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../api/client.ts';
import { useCommand } from '../../../api/use-command.ts';
import { useUpload } from '../../../api/use-upload.ts';
import { useFormat } from '../../../format/use-format.ts';
import { type Path, valueAt } from '../../../parts/draft/yaml-draft.ts';
import textStyles from '../../../parts/text.module.css';
import classes from '../campaigns.module.css';
import { ORDER, useForm } from './fields.tsx';

type Uploaded = Output<'POST /uploads'>;
const NAME = /^[a-z][a-z0-9_-]{0,59}$/;

interface Props {
  /** The part of the audience that the file becomes. */
  readonly at: Path;
  /** Of sources that exist. */
  readonly names: readonly string[];
}

export function AudienceFile({ at, names }: Props) {
  const { t } = useTranslation('campaign-form');
  const [chosen, setChosen] = useState('');
  const [uploaded, setUploaded] = useState<Uploaded | null>(null);
  const upload = useUpload(setUploaded);
  const send = (file: File | null) => {
    if (file === null) return;
    setUploaded(null);
    setChosen(file.name);
    upload.send(file);
  };
  return (
    <div className={classes.wide}>
      <div className={classes.line}>
        <FileButton accept=".csv,.txt,text/csv" onChange={send}>
          {(props) => (
            <Button {...props} variant="default" size="xs" loading={upload.isPending}>
              {t('file.upload')}
            </Button>
          )}
        </FileButton>
        <span className={textStyles.muted}>{t('file.about')}</span>
      </div>
      {uploaded !== null && (
        <Recognized
          key={uploaded.upload}
          at={at}
          names={names}
          file={chosen}
          uploaded={uploaded}
          onUsed={() => setUploaded(null)}
        />
      )}
    </div>
  );
}

interface RecognizedProps extends Props {
  readonly file: string;
  readonly uploaded: Uploaded;
  onUsed(): void;
}

function Recognized({ at, names, file, uploaded, onUsed }: RecognizedProps) {
  const { t } = useTranslation('campaign-form');
  const format = useFormat();
  const { value, set } = useForm();
  const { recognized } = uploaded;
  const guessed = recognized.columns.find(({ guess }) => guess === 'number')?.name ?? '';
  const [number, setNumber] = useState(guessed);
  const guessedCountry = countryColumnOf(uploaded);
  const [countryColumn, setCountryColumn] = useState(guessedCountry);
  const [name, setName] = useState(nameOf(file, names));
  const { country } = recognized.country;
  const problem = !NAME.test(name) ? t('file.nameRule') : names.includes(name) ? t('file.nameTaken') : null;
  const use = useCommand('POST /uploads/{upload}/source', {
    topics: ['campaign-drafts'],
    done: ({ active, export: kept }) => t(active ? 'file.used' : 'file.usedElsewhere', { file: kept }),
    onDone: ({ source }) => {
      const { contact } = recognized.mapping ?? {};
      set(at, {
        from: 'source',
        source,
        number: (number === guessed ? contact?.number : undefined) ?? number,
        ...(countryColumn === ''
          ? {}
          : { country: (countryColumn === guessedCountry ? contact?.country : undefined) ?? countryColumn }),
      });
      if (country !== null && valueAt(value, ['defaultCountry']) === undefined) {
        set(['defaultCountry'], country);
        if (recognized.country.format === 'national') set(['numberFormat'], 'national');
      }
      onUsed();
    },
  });
  if (!recognized.header)
    return (
      <Text size="sm" c="var(--mantine-color-error)" role="alert">
        {t('file.noHeader')}
      </Text>
    );
  const columns = recognized.columns.map((column) => ({
    value: column.name,
    label: [column.name, ...column.samples.slice(0, 1)].join(': '),
  }));
  return (
    <>
      <Text size="sm">
        {t('file.recognized', {
          rows: format.count(recognized.rows),
          columns: recognized.columns.map((column) => column.name).join(', '),
          country: country ?? t('file.anyCountry'),
        })}
      </Text>
      <div className={classes.fields}>
        <NativeSelect
          label={t('file.number')}
          inputWrapperOrder={ORDER}
          value={number}
          data={[...(guessed === '' ? [{ value: '', label: t('draft.choose') }] : []), ...columns]}
          onChange={(event) => setNumber(event.currentTarget.value)}
        />
        <NativeSelect
          label={t('file.countryColumn')}
          inputWrapperOrder={ORDER}
          value={countryColumn}
          data={[{ value: '', label: t('file.noCountryColumn') }, ...columns]}
          onChange={(event) => setCountryColumn(event.currentTarget.value)}
        />
        <TextInput
          label={t('file.name')}
          inputWrapperOrder={ORDER}
          value={name}
          error={problem}
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </div>
      <div>
        <Button
          size="xs"
          disabled={number === '' || problem !== null}
          loading={use.isPending}
          onClick={() => use.run({ upload: uploaded.upload, source: name })}
        >
          {t('file.use')}
        </Button>
      </div>
    </>
  );
}

/** The column that names the countries of the numbers, if they are several; else empty. */
function countryColumnOf({ recognized: { columns, mapping } }: Uploaded): string {
  const country = mapping?.contact.country;
  if (country === undefined) return '';
  const guesses = columns.filter(({ guess }) => guess === 'country');
  return (guesses.find(({ name }) => name === country) ?? guesses[0])?.name ?? '';
}

/** A name for the source after the file's, which no source has. */
function nameOf(file: string, taken: readonly string[]): string {
  const plain = file
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replace(/\.[^.]*$/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
    .slice(0, 50);
  const base = plain === '' ? 'audience' : plain;
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (!taken.includes(name)) return name;
  }
}
