// Records what a person said elsewhere: they do not want to be messaged.
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../../api/use-command.ts';
import { notifyDone } from '../../../app/notify.ts';
import { isoTime } from '../../../format/wall-time.ts';
import { useZone } from '../../../format/zone.tsx';
import { ErrorText } from '../../../parts/reason/error-text.tsx';
import { AccountField, CountryField, isCountryCode, ReasonField } from './fields.tsx';

interface RecordFormProps {
  readonly accounts: readonly string[];
  /** The one that is chosen at first. */
  readonly account?: string | undefined;
  /** Id of the person; without it the form asks for a number. */
  readonly person?: string;
  onDone(): void;
}

export function RecordForm({ accounts, account: first, person, onDone }: RecordFormProps) {
  const { t } = useTranslation('opt-outs');
  const { name: zone } = useZone();
  const [account, setAccount] = useState(first ?? accounts[0] ?? '');
  const [number, setNumber] = useState('');
  const [country, setCountry] = useState('');
  const [since, setSince] = useState('');
  const [evidence, setEvidence] = useState('');
  const [reason, setReason] = useState('');
  const record = useCommand('POST /opt-outs/{account}', {
    topics: ['people'],
    showsError: true,
    onDone: ({ result }) => {
      if (result === 'withdrawn') return setOutdated(true);
      notifyDone(t(`record.result.${result}`));
      onDone();
    },
  });
  const [isOutdated, setOutdated] = useState(false);
  const isLocal = person === undefined && !/^\s*(?:\+|00|$)/.test(number);
  const isReady = account !== '' && (person !== undefined || number.trim() !== '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setOutdated(false);
    record.run({
      account,
      number: person ?? number.trim(),
      country: isLocal && country !== '' ? country : undefined,
      at: isoTime(since, zone) ?? undefined,
      evidence: evidence.trim(),
      reason: reason.trim(),
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">{t('record.about')}</Text>
        <AccountField accounts={accounts} value={account} onChange={setAccount} />
        {person === undefined && (
          <TextInput
            type="tel"
            label={t('number')}
            description={t('record.numberHelp')}
            value={number}
            required
            autoComplete="off"
            data-autofocus
            onChange={(event) => setNumber(event.currentTarget.value)}
          />
        )}
        {isLocal && <CountryField value={country} onChange={setCountry} />}
        <TextInput
          type="datetime-local"
          label={t('since')}
          description={t('record.sinceHelp', { zone })}
          max="9999-12-31T23:59"
          value={since}
          onChange={(event) => setSince(event.currentTarget.value)}
        />
        <TextInput
          label={t('evidence')}
          description={t('record.evidenceHelp')}
          value={evidence}
          maxLength={200}
          onChange={(event) => setEvidence(event.currentTarget.value)}
        />
        <ReasonField value={reason} onChange={setReason} />
        {record.error !== null && (
          <Alert color="red" role="alert">
            <ErrorText error={record.error} />
          </Alert>
        )}
        {isOutdated && (
          <Alert color="yellow" role="alert">
            {t('record.result.withdrawn')}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button
            type="submit"
            loading={record.isPending}
            disabled={!isReady || (isLocal && !isCountryCode(country))}
          >
            {t('record.button')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
