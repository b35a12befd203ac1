// The login, in the place of every screen: the address stays, so that the viewer comes back to where they were.
import { Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Session } from '../../api/session.tsx';
import { CodeForm } from './code-form.tsx';
import { LoginPage } from './login-page.tsx';
import { Refusal } from './refusal.tsx';
import { useLogin } from './use-login.ts';

/** In the fragment, which the browser sends to no server: `#link=…`. */
function linkOfAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('link');
}

export default function Login({ session }: { readonly session: Session }) {
  const { t } = useTranslation('login');
  const [link, setLink] = useState(linkOfAddress);
  const [pending, setPending] = useState<string | null>(null);
  const restart = () => {
    // A link has set the password, and is used up.
    setLink(null);
    setPending(null);
  };
  const title = t(
    link === null || pending !== null ? 'title' : session.needsFirstAdmin ? 'claimTitle' : 'linkTitle',
  );
  return (
    <LoginPage title={title}>
      {pending !== null ? (
        <CodeForm pending={pending} onRestart={restart} />
      ) : link === null ? (
        <PasswordForm session={session} onPending={setPending} />
      ) : (
        <LinkForm link={link} isFirst={session.needsFirstAdmin} onPending={setPending} />
      )}
    </LoginPage>
  );
}

interface FormProps {
  /** A code is asked for. */
  onPending(pending: string): void;
}

function PasswordForm({ session, onPending }: FormProps & { readonly session: Session }) {
  const { t } = useTranslation('login');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const login = useLogin((client) => client.call('POST /login', { name: name.trim(), password }), onPending);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    login.mutate();
  };
  return (
    <Stack gap="md">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Refusal error={login.error} />
          <TextInput
            label={t('name')}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            withAsterisk={false}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <PasswordInput
            label={t('password')}
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" size="sm" fullWidth loading={login.isPending}>
            {t('submit')}
          </Button>
        </Stack>
      </form>
      {session.oidc !== null && (
        <>
          <Divider label={t('or')} />
          <Button component="a" href={oidcAddress()} variant="default" size="sm" fullWidth>
            {t('oidc', { label: session.oidc.label })}
          </Button>
        </>
      )}
      <Text size="xs" c="dimmed">
        {t(session.needsFirstAdmin ? 'noUser' : 'forgot')}
      </Text>
    </Stack>
  );
}

/** The provider sends the viewer back to this place. */
function oidcAddress(): string {
  return `/auth/oidc?${new URLSearchParams({ then: location.pathname + location.search }).toString()}`;
}

interface LinkFormProps extends FormProps {
  readonly link: string;
  readonly isFirst: boolean;
}

function LinkForm({ link, isFirst, onPending }: LinkFormProps) {
  const { t } = useTranslation('login');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const claim = useLogin(async (client) => {
    const answer = await client.call(
      'POST /session/claim',
      isFirst ? { link, name: name.trim(), password } : { link, password },
    );
    history.replaceState(history.state, '', location.pathname + location.search);
    return answer;
  }, onPending);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    claim.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t(isFirst ? 'claimText' : 'linkText')}
        </Text>
        <Refusal error={claim.error} />
        {isFirst && (
          <TextInput
            label={t('name')}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            required
            withAsterisk={false}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        <PasswordInput
          label={t('newPassword')}
          name="password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={12}
          value={password}
          visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" size="sm" fullWidth loading={claim.isPending}>
          {t(isFirst ? 'claimSubmit' : 'linkSubmit')}
        </Button>
      </Stack>
    </form>
  );
}
