// In the place of every screen, for a viewer who has to turn on a second factor first.
import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../api/use-command.ts';
import { RecoveryCodes, TurnOnSecondFactor } from '../settings/second-factor.tsx';
import { LanguageLinks } from './language-links.tsx';
import classes from './login.module.css';

interface Props {
  /** Null: the second factor is not on yet. */
  readonly recovery: readonly string[] | null;
  onRecovery(codes: readonly string[] | null): void;
}

export default function RequiredSecondFactor({ recovery, onRecovery }: Props) {
  const { t } = useTranslation('login');
  const logout = useCommand('POST /logout', { topics: ['session'] });
  const title = t('factorTitle');
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  return (
    <main className={classes.page}>
      <Paper withBorder p="xl" radius="md" className={classes.box}>
        <Title order={1} mb="md">
          {title}
        </Title>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t('factorText')}
          </Text>
          {recovery === null && <TurnOnSecondFactor onCodes={onRecovery} />}
          <Button variant="subtle" size="sm" loading={logout.isPending} onClick={() => logout.run({})}>
            {t('logout')}
          </Button>
        </Stack>
      </Paper>
      <LanguageLinks />
      <RecoveryCodes codes={recovery} onClose={() => onRecovery(null)} />
    </main>
  );
}
