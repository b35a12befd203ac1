// Who is logged in, and how this viewer wants to see the console.
import {
  Anchor,
  Button,
  Divider,
  Group,
  Input,
  Popover,
  SegmentedControl,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { IconLogout, IconUserCircle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { SESSION_KEY } from '../api/query-client.ts';
import { useViewer } from '../api/session.tsx';
import { useCommand } from '../api/use-command.ts';
import { useFormat } from '../format/use-format.ts';
import { useNow } from '../format/use-now.ts';
import { useZone, type ZoneChoice } from '../format/zone.tsx';
import { chooseLanguage } from '../i18n/index.ts';
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../i18n/languages.ts';

const SCHEMES = ['light', 'dark', 'auto'] as const;

export function ViewerMenu() {
  const { t, i18n } = useTranslation('common');
  const viewer = useViewer();
  const user = viewer?.user;
  const queries = useQueryClient();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const zone = useZone();
  const now = useNow();
  const { zoneName, zone: offset } = useFormat();
  const logout = useCommand('POST /logout', {
    // Nothing of what this viewer saw stays for the next one.
    onDone: () => {
      viewer?.leave();
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
      void queries.invalidateQueries({ queryKey: SESSION_KEY });
    },
  });
  if (user === undefined) return null;
  return (
    <Popover position="bottom-end" width={280} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          c="var(--mantine-color-text)"
          px="xs"
          leftSection={<IconUserCircle size={18} stroke={1.6} aria-hidden />}
          aria-label={t('viewer.open', { name: user.displayName })}
        >
          <Text span size="sm" visibleFrom="md">
            {user.displayName}
          </Text>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('viewer.title')}>
        <Stack gap="sm">
          <div>
            <Text fw={600}>{user.displayName}</Text>
            <Text size="xs" c="dimmed">
              {t('viewer.role', { role: t(`role.${user.role}`), identity: user.identity })}
            </Text>
          </div>
          <Choice
            label={t('viewer.language')}
            value={i18n.language as Language}
            options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
            onChoose={(language) => void chooseLanguage(language)}
          />
          <Choice
            label={t('viewer.scheme')}
            value={colorScheme}
            options={SCHEMES.map((value) => ({ value, label: t(`scheme.${value}`) }))}
            onChoose={setColorScheme}
          />
          <Choice<ZoneChoice>
            label={t('viewer.zone', { zone: zoneName, offset: offset(now) })}
            value={zone.choice}
            options={[
              { value: 'own', label: t('zone.own') },
              { value: 'utc', label: 'UTC' },
            ]}
            onChoose={zone.choose}
          />
          <Divider />
          <Anchor component={Link} to="/settings" search={{ tab: 'sessions' } as never} size="sm">
            {t('viewer.sessions')}
          </Anchor>
          <Group>
            <Button
              variant="default"
              fullWidth
              loading={logout.isPending}
              leftSection={<IconLogout size={16} aria-hidden />}
              onClick={() => logout.run({})}
            >
              {t('viewer.logout')}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  onChoose(value: T): void;
}

function Choice<T extends string>({ label, value, options, onChoose }: ChoiceProps<T>) {
  return (
    <Input.Wrapper label={label} labelElement="div" size="xs">
      <SegmentedControl
        fullWidth
        size="xs"
        mt={4}
        aria-label={label}
        value={value}
        data={[...options]}
        onChange={(chosen) => onChoose(chosen as T)}
      />
    </Input.Wrapper>
  );
}
