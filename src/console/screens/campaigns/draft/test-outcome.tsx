// What became of a test send: sent, waiting and why, refused, or unknown.
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../api/client.ts';
import { useCall } from '../../../api/use-call.ts';
import { Reason } from '../../../parts/reason/reason.tsx';

const EVERY_MS = 2000;

export function TestOutcome({ event, duplicate }: Output<'POST /campaign-drafts/test'>) {
  const { t } = useTranslation('campaign-form');
  const { data } = useCall('GET /events/{event}', { event }, { everyMs: EVERY_MS, topics: ['events'] });
  const { outcome = null, blocked = null, code = null, reason = null } = data ?? {};
  const why = blocked ?? (code === null ? null : { code, reason });
  const state =
    outcome === 'done' || outcome === 'unknown'
      ? outcome
      : outcome !== null
        ? 'failed'
        : why === null
          ? 'accepted'
          : 'waiting';
  return (
    <Text size="sm" role="status">
      {duplicate && `${t('test.before')} `}
      {t(`test.${state}`)}{' '}
      {state !== 'done' && why !== null && <Reason code={why.code} reason={why.reason} />}{' '}
      <Link to="/events" search={{ event } as never}>
        {t('test.event')}
      </Link>
    </Text>
  );
}
