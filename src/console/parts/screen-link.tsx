// The way back to the list of a screen, above the title: in the words of the navigation.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { SCREENS } from '../app/screens.ts';

interface ScreenLinkProps {
  readonly to: (typeof SCREENS)[number]['id'];
  /** State of the browser's history, which the address does not show. */
  readonly state?: object;
}

export function ScreenLink({ to, state }: ScreenLinkProps) {
  const { t } = useTranslation('common');
  const path = SCREENS.find(({ id }) => id === to)?.path ?? '/';
  return (
    <Anchor component={Link} to={path} search={{} as never} state={(state ?? {}) as never} fz="xs">
      {t(`screen.${to}`)}
    </Anchor>
  );
}
