// The work that a refused token blocks.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { useRouteName } from '../../format/use-route-name.ts';
import type { Overview } from './data.ts';

type Need = Overview['needs'][number];

const SCREEN_OF_WORK = {
  sync: '/syncs',
  campaign: '/campaigns',
  poller: '/conversations',
  route: '/events',
} as const;

/** What waits for another token, each with a link to its screen. */
export function BlockedWork({
  account,
  blocks,
}: Pick<Need, 'account'> & { readonly blocks: NonNullable<Need['blocks']> }) {
  const { t } = useTranslation('overview');
  const { t: budget } = useTranslation('budget');
  const routeName = useRouteName();
  return (
    <div>
      {t('needs.blocks')}{' '}
      {blocks.map(({ kind, name, run }, index) => (
        <Fragment key={[kind, name, run].join(' ')}>
          {index > 0 && ', '}
          <Anchor
            component={Link}
            to={SCREEN_OF_WORK[kind]}
            search={{ account, name, run: run ?? '' } as never}
            inherit
          >
            {budget(`set.work.${kind}`, { name: routeName(name) })}
          </Anchor>
        </Fragment>
      ))}
    </div>
  );
}
