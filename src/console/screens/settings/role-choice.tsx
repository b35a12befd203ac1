// What a user may do, with what each role means.
import { Radio, Stack } from '@mantine/core';
import '@mantine/core/styles/Radio.css';
import { useTranslation } from 'react-i18next';
import { ROLE_ORDER, type RoleName } from '../../api/roles.ts';

export function RoleChoice({
  value,
  onChange,
  disabled = false,
}: {
  readonly value: RoleName;
  onChange(role: RoleName): void;
  readonly disabled?: boolean;
}) {
  const { t } = useTranslation('settings');
  const { t: common } = useTranslation('common');
  return (
    <Radio.Group
      label={t('users.role')}
      description={disabled ? t('users.oidcRole') : undefined}
      value={value}
      onChange={(role) => onChange(role as RoleName)}
    >
      <Stack gap="xs" mt="xs">
        {ROLE_ORDER.map((role) => (
          <Radio
            key={role}
            value={role}
            size="xs"
            disabled={disabled}
            label={common(`role.${role}`)}
            description={t(`users.roleHelp.${role}`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
