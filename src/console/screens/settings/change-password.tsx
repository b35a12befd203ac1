// The viewer's own password. Other sessions end; this one goes on with a new token.
import { Button, Checkbox, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SESSION_KEY } from '../../api/query-client.ts';
import { type Session, useViewer } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { Section } from '../../parts/page.tsx';

const MIN_LENGTH = 12;

export function ChangePassword() {
  const { t } = useTranslation('settings');
  const queries = useQueryClient();
  const userName = useViewer()?.user.name ?? '';
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const asksForCode = typeof useCall('GET /second-factor', {}).data?.since === 'string';
  const [keepTokens, setKeepTokens] = useState(false);
  const change = useCommand('POST /password', {
    done: () => t('password.done'),
    topics: ['session', 'audit'],
    onDone: ({ csrfToken }) => {
      // The next command needs the token of the new session, before the session is read again.
      queries.setQueryData<Session>(SESSION_KEY, (session) => session && { ...session, csrfToken });
      setCurrent('');
      setPassword('');
      setCode('');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.run({ current, password, code: asksForCode ? code : undefined, keepTokens });
  };
  const toggle = { 'aria-label': t('password.show') };
  return (
    <Section title={t('password.title')} about={t('password.about')}>
      <form onSubmit={submit}>
        <Stack gap="sm" maw={420} align="stretch">
          {/* Password managers store the new password under this name. */}
          <input type="text" name="username" autoComplete="username" value={userName} readOnly hidden />
          <PasswordInput
            label={t('password.current')}
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={current}
            visibilityToggleButtonProps={toggle}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
          <PasswordInput
            label={t('password.new', { count: MIN_LENGTH })}
            autoComplete="new-password"
            required
            withAsterisk={false}
            minLength={MIN_LENGTH}
            value={password}
            visibilityToggleButtonProps={toggle}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {asksForCode && (
            <TextInput
              label={t('password.code')}
              autoComplete="one-time-code"
              required
              withAsterisk={false}
              maxLength={40}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
          )}
          <Checkbox
            label={t('password.keepTokens')}
            description={t('password.keepTokensHelp')}
            checked={keepTokens}
            onChange={(event) => setKeepTokens(event.currentTarget.checked)}
          />
          <Button type="submit" loading={change.isPending} style={{ alignSelf: 'start' }}>
            {t('password.save')}
          </Button>
        </Stack>
      </form>
    </Section>
  );
}
