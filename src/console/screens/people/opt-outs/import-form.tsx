// Opt-outs of another system out of a CSV file: the file, its columns, a dry run, and the import.
import { Button, FileButton, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../api/client.ts';
import { useCommand } from '../../../api/use-command.ts';
import { useUpload } from '../../../api/use-upload.ts';
import { useFormat } from '../../../format/use-format.ts';
import { useZone } from '../../../format/zone.tsx';
import { guessOf, OFFSETS, offsetOf } from './columns-of-file.ts';
import { AccountField, CountryField, isCountryCode, ReasonField } from './fields.tsx';
import { ImportOutcome } from './import-outcome.tsx';

type Uploaded = Output<'POST /uploads'>;

const ORDERS = ['dmy', 'mdy', 'ymd'] as const;

interface ImportFormProps {
  readonly accounts: readonly string[];
  /** The one that is chosen at first. */
  readonly account: string | undefined;
  onClose(): void;
}

export function ImportForm(props: ImportFormProps) {
  const { t } = useTranslation('opt-outs');
  const format = useFormat();
  const [uploaded, setUploaded] = useState<{ readonly made: Uploaded; readonly name: string } | null>(null);
  const upload = useUpload((made, name) => setUploaded({ made, name }));
  return (
    <Stack gap="sm">
      <Text size="sm">{t('import.about')}</Text>
      <Group gap="xs">
        <FileButton
          accept=".csv,.txt,text/csv"
          onChange={(file) => file !== null && upload.send(file)}
          inputProps={{ 'aria-label': t('import.choose') }}
        >
          {(button) => (
            <Button
              {...button}
              variant={uploaded === null ? 'filled' : 'default'}
              size="compact-sm"
              loading={upload.isPending}
            >
              {t(uploaded === null ? 'import.choose' : 'import.chooseOther')}
            </Button>
          )}
        </FileButton>
        {uploaded !== null && (
          <Text size="sm">
            {t('import.file', {
              name: uploaded.name,
              count: uploaded.made.recognized.rows,
              shown: format.count(uploaded.made.recognized.rows),
            })}
          </Text>
        )}
      </Group>
      {uploaded !== null &&
        (uploaded.made.recognized.header ? (
          <Columns key={uploaded.made.upload} uploaded={uploaded.made} {...props} />
        ) : (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {t('import.noHeader')}
          </Text>
        ))}
    </Stack>
  );
}

interface Outcome {
  readonly answer: Output<'POST /uploads/{upload}/opt-outs'>;
  readonly isDryRun: boolean;
}

function Columns({
  uploaded,
  accounts,
  account: first,
  onClose,
}: ImportFormProps & { readonly uploaded: Uploaded }) {
  const { t } = useTranslation('opt-outs');
  const format = useFormat();
  const { name: zone } = useZone();
  const { columns, country: guessed } = uploaded.recognized;
  const [given, setGiven] = useState(() => ({
    account: first ?? accounts[0] ?? '',
    number: columns.find(({ guess }) => guess === 'number')?.name ?? '',
    time: guessOf('time', columns),
    evidence: guessOf('evidence', columns),
    country: guessed.country ?? '',
    offset: offsetOf(zone, new Date()),
    dateOrder: '',
  }));
  const [reason, setReason] = useState('');
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const run = useCommand('POST /uploads/{upload}/opt-outs', {
    topics: ['opt-outs', 'people'],
    onDone: (answer, { dryRun }) => setOutcome({ answer, isDryRun: dryRun === true }),
  });
  // What was checked is what is recorded.
  const set = (change: Partial<typeof given>) => {
    setGiven((before) => Object.assign({}, before, change));
    setOutcome(null);
  };
  const send = (dryRun: boolean) => {
    const { account, number, time, evidence, country, offset, dateOrder } = given;
    run.run({
      upload: uploaded.upload,
      account,
      number,
      time,
      evidence: evidence || undefined,
      country: country || undefined,
      offset: offset || undefined,
      dateOrder: ORDERS.find((each) => each === dateOrder),
      dryRun,
      reason: reason.trim(),
    });
  };
  if (outcome !== null && !outcome.isDryRun)
    return (
      <>
        <ImportOutcome {...outcome} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('import.close')}</Button>
        </Group>
      </>
    );
  const options = (none: string) => [
    { value: '', label: none },
    ...columns.map(({ name, samples: [sample] }) => ({
      value: name,
      label: sample === undefined ? name : `${name}: ${sample}`,
    })),
  ];
  const isReady =
    given.account !== '' && given.number !== '' && given.time !== '' && isCountryCode(given.country);
  const added = outcome?.answer.added ?? 0;
  return (
    <>
      <AccountField accounts={accounts} value={given.account} onChange={(account) => set({ account })} />
      <NativeSelect
        label={t('import.number')}
        value={given.number}
        data={options(t('import.choice'))}
        onChange={(event) => set({ number: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('import.time')}
        description={t('import.timeHelp')}
        value={given.time}
        data={options(t('import.choice'))}
        onChange={(event) => set({ time: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('import.offset')}
        description={t('import.offsetHelp')}
        value={given.offset}
        data={[
          { value: '', label: t('import.noOffset') },
          ...[...new Set([given.offset, ...OFFSETS])].filter(Boolean).sort(byOffset),
        ]}
        onChange={(event) => set({ offset: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('import.dateOrder')}
        value={given.dateOrder}
        data={[
          { value: '', label: t('import.noDateOrder') },
          ...ORDERS.map((value) => ({ value, label: t(`import.dateOrderOf.${value}`) })),
        ]}
        onChange={(event) => set({ dateOrder: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('import.evidence')}
        value={given.evidence}
        data={options(t('import.noEvidence'))}
        onChange={(event) => set({ evidence: event.currentTarget.value })}
      />
      <CountryField value={given.country} onChange={(country) => set({ country })} />
      {outcome !== null && <ImportOutcome {...outcome} />}
      {outcome !== null && added > 0 && <ReasonField value={reason} onChange={setReason} />}
      <Group justify="flex-end" gap="xs">
        <Button
          variant={outcome === null ? 'filled' : 'default'}
          loading={run.isPending && outcome === null}
          disabled={!isReady}
          onClick={() => send(true)}
        >
          {t(outcome === null ? 'import.check' : 'import.checkAgain')}
        </Button>
        {outcome !== null && (
          <Button loading={run.isPending} disabled={added === 0} onClick={() => send(false)}>
            {t('import.record', { count: added, shown: format.count(added) })}
          </Button>
        )}
      </Group>
    </>
  );
}

/** From west to east. */
const byOffset = (a: string, b: string) => minutesOf(a) - minutesOf(b);
const minutesOf = (offset: string) =>
  (offset.startsWith('-') ? -1 : 1) * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4)));
