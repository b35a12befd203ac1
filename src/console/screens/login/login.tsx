// The login, in the place of every screen: the address stays, so that the viewer comes back to where they were.
import { Alert, Button, Divider, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { OperatorError } from '../../../operator/error.ts';
import { SESSION_KEY } from '../../api/query-client.ts';
import { type Session, useClient } from '../../api/session.tsx';
import { describeError } from '../../app/describe-error.ts';
import { LanguageLinks } from './language-links.tsx';
import classes from './login.module.css';

/** In the fragment, which the browser sends to no server: `#link=…`. */
function linkOfAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('link');
}

export default function Login({ session }: { readonly session: Session }) {
  const { t } = useTranslation('login');
  const [link] = useState(linkOfAddress);
  const title = t(link === null ? 'title' : session.needsFirstAdmin ? 'claimTitle' : 'linkTitle');
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  return (
    <main className={classes.page}>
      <Paper withBorder p="xl" radius="md" className={classes.box}>
        <Title order={1} mb="md">
          {title}
        </Title>
        {link === null ? (
          <PasswordForm session={session} />
        ) : (
          <LinkForm link={link} isFirst={session.needsFirstAdmin} />
        )}
      </Paper>
      <LanguageLinks />
    </main>
  );
}

function PasswordForm({ session }: { readonly session: Session }) {
  const { t } = useTranslation('login');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const login = useLogin((client) => client.call('POST /login', { name: name.trim(), password }));
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

function LinkForm({ link, isFirst }: { readonly link: string; readonly isFirst: boolean }) {
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
  });
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

function useLogin(call: (client: ReturnType<typeof useClient>) => Promise<unknown>) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => call(client),
    onSuccess: async () => {
      // What an earlier viewer of this tab saw is not for this one.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
      await queries.invalidateQueries({ queryKey: SESSION_KEY });
    },
  });
}

function Refusal({ error }: { readonly error: Error | null }) {
  const { t } = useTranslation('login');
  const { t: common } = useTranslation('common');
  if (error === null) return null;
  const wait = error instanceof OperatorError ? error.retryAfterMs : undefined;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} role="alert" p="xs">
      {wait === undefined
        ? describeError(error, common).message
        : t('wait', { count: Math.ceil(wait / 1000) })}
    </Alert>
  );
}
