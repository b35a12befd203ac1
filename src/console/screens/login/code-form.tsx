// The second half of a login with a second factor.
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Refusal } from './refusal.tsx';
import { useLogin } from './use-login.ts';

interface CodeFormProps {
  readonly pending: string;
  onRestart(): void;
}

export function CodeForm({ pending, onRestart }: CodeFormProps) {
  const { t } = useTranslation('login');
  const [code, setCode] = useState('');
  const login = useLogin((client) => client.call('POST /login/code', { pending, code }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    login.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('codeText')}
        </Text>
        <Refusal error={login.error} />
        <TextInput
          label={t('code')}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          maxLength={40}
          ref={(input) => input?.focus()}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit" size="sm" fullWidth loading={login.isPending}>
          {t('submit')}
        </Button>
        <Button variant="subtle" size="sm" fullWidth onClick={onRestart}>
          {t('restart')}
        </Button>
      </Stack>
    </form>
  );
}
