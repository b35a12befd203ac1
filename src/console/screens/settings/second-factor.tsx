// The viewer's own second factor: turned on with a QR code and its first code, and off with another code.
import { Button, Checkbox, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useCall } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { Facts, Section } from '../../parts/page.tsx';
import { Time } from '../../parts/values.tsx';
import { QrCode } from './qr-code.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import classes from './settings.module.css';

export function SecondFactor() {
  const { t } = useTranslation('settings');
  const { data: state } = useCall('GET /second-factor', {});
  const [recovery, setRecovery] = useState<readonly string[] | null>(null);
  return (
    <Section title={t('secondFactor.title')} about={t('secondFactor.about')}>
      {state !== undefined && <Part state={state} onCodes={setRecovery} />}
      <RecoveryCodes codes={recovery} onClose={() => setRecovery(null)} />
    </Section>
  );
}

interface RecoveryCodesProps {
  readonly codes: readonly string[] | null;
  onClose(): void;
}

export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  const { t } = useTranslation('settings');
  const secret = {
    title: t('secondFactor.recoveryTitle'),
    text: t('secondFactor.recoveryText'),
    value: codes?.join('\n') ?? '',
  };
  return <SecretDialog secret={codes === null ? null : secret} onClose={onClose} />;
}

interface PartProps {
  readonly state: Output<'GET /second-factor'>;
  onCodes(codes: readonly string[]): void;
}

function Part({ state, onCodes }: PartProps) {
  const { t } = useTranslation('settings');
  if (state.since !== null)
    return <TurnOff since={state.since} recoveryCodesLeft={state.recoveryCodesLeft} />;
  return state.isAvailable ? (
    <TurnOnSecondFactor onCodes={onCodes} />
  ) : (
    <Text>{t('secondFactor.unavailable')}</Text>
  );
}

export function TurnOnSecondFactor({ onCodes }: Pick<PartProps, 'onCodes'>) {
  const { t } = useTranslation('settings');
  const [made, setMade] = useState<Output<'POST /second-factor/secret'> | null>(null);
  const [keepTokens, setKeepTokens] = useState(false);
  const begin = useCommand('POST /second-factor/secret', { onDone: setMade });
  const turnOn = useCommand('POST /second-factor', {
    done: () => t('secondFactor.onDone'),
    topics: ['session', 'sessions', 'tokens', 'users', 'audit'],
    onDone: ({ recoveryCodes }) => onCodes(recoveryCodes),
  });
  if (made === null)
    return (
      <Button loading={begin.isPending} onClick={() => begin.run({})}>
        {t('secondFactor.begin')}
      </Button>
    );
  return (
    <ProofForm
      label={t('secondFactor.code')}
      verb={t('secondFactor.on')}
      isPending={turnOn.isPending}
      onProof={(proof) => turnOn.run({ password: proof.password, code: proof.code, keepTokens })}
      before={
        <>
          <Text>{t('secondFactor.scan')}</Text>
          <QrCode text={made.uri} label={t('secondFactor.qr')} />
          <Text>{t('secondFactor.typeIn')}</Text>
          <code className={classes.secret}>{made.secret}</code>
        </>
      }
      after={
        <Checkbox
          label={t('password.keepTokens')}
          description={t('password.keepTokensHelp')}
          checked={keepTokens}
          onChange={(event) => setKeepTokens(event.currentTarget.checked)}
        />
      }
    />
  );
}

interface TurnOffProps {
  readonly since: string;
  readonly recoveryCodesLeft: number;
}

function TurnOff({ since, recoveryCodesLeft }: TurnOffProps) {
  const { t } = useTranslation('settings');
  const turnOff = useCommand('POST /second-factor/off', {
    done: () => t('secondFactor.offDone'),
    // Where it is required, the frame asks for a new one at once.
    topics: ['session', 'users', 'audit'],
  });
  return (
    <ProofForm
      label={t('password.code')}
      verb={t('secondFactor.off')}
      isPending={turnOff.isPending}
      onProof={turnOff.run}
      before={
        <>
          <Facts
            facts={[
              [t('secondFactor.since'), <Time key="since" at={since} as="moment" />],
              [t('secondFactor.left'), recoveryCodesLeft],
            ]}
          />
          <Text>{t('secondFactor.offText')}</Text>
        </>
      }
    />
  );
}

interface ProofFormProps {
  readonly label: string;
  readonly verb: string;
  readonly isPending: boolean;
  readonly before: ReactNode;
  readonly after?: ReactNode;
  onProof(proof: { readonly password: string; readonly code: string }): void;
}

/** Asks for the password and a code. */
function ProofForm({ label, verb, isPending, before, after, onProof }: ProofFormProps) {
  const { t } = useTranslation('settings');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onProof({ password, code });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={420} align="stretch">
        {before}
        <PasswordInput
          label={t('password.current')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          visibilityToggleButtonProps={{ 'aria-label': t('password.show') }}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <TextInput
          label={label}
          autoComplete="one-time-code"
          spellCheck={false}
          required
          withAsterisk={false}
          maxLength={40}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        {after}
        <Button type="submit" loading={isPending} style={{ alignSelf: 'start' }}>
          {verb}
        </Button>
      </Stack>
    </form>
  );
}
