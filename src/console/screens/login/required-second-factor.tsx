// In the place of every screen, for a viewer who has to turn on a second factor first.
import { Button, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../api/use-command.ts';
import { RecoveryCodes, TurnOnSecondFactor } from '../settings/second-factor.tsx';
import { LoginPage } from './login-page.tsx';

interface Props {
  /** Null: the second factor is not on yet. */
  readonly recovery: readonly string[] | null;
  onRecovery(codes: readonly string[] | null): void;
}

export default function RequiredSecondFactor({ recovery, onRecovery }: Props) {
  const { t } = useTranslation('login');
  const logout = useCommand('POST /logout', { topics: ['session'] });
  return (
    <LoginPage title={t('factorTitle')}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('factorText')}
        </Text>
        {recovery === null && <TurnOnSecondFactor onCodes={onRecovery} />}
        <Button variant="subtle" size="sm" loading={logout.isPending} onClick={() => logout.run({})}>
          {t('logout')}
        </Button>
      </Stack>
      <RecoveryCodes codes={recovery} onClose={() => onRecovery(null)} />
    </LoginPage>
  );
}
