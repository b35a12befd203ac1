// From an entry to what it belongs to: the screens of runs, campaigns, events and conversations, and Temporal's web UI.
import { Anchor } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useCall } from '../../api/use-call.ts';
import classes from './people.module.css';

type Target = '/syncs' | '/campaigns' | '/events' | '/conversations';

/** As the overview links: `name` is the thing of the configuration, the rest is what is chosen on its screen. */
export function PlaceLink({
  to,
  search,
  children,
}: {
  readonly to: Target;
  readonly search: Readonly<Record<string, string>>;
  readonly children: ReactNode;
}) {
  return (
    <Anchor component={Link} to={to} search={search as never} inherit className={classes.link}>
      {children}
    </Anchor>
  );
}

/** Null while no web UI of Temporal is configured. */
function useTemporalUi(): string | null {
  return useCall('GET /temporal', {}).data?.workflows ?? null;
}

export function TemporalLink({ workflow }: { readonly workflow: string | null }) {
  const { t } = useTranslation('people');
  const address = useTemporalUi();
  if (address === null || workflow === null) return null;
  return (
    <Anchor
      href={address + encodeURIComponent(workflow)}
      target="_blank"
      rel="noreferrer"
      inherit
      className={`${classes.link} ${classes.external}`}
    >
      {t('fact.temporal')} <IconExternalLink size={11} aria-hidden />
    </Anchor>
  );
}
