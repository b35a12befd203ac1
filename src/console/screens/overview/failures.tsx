// What failed in the last day, by kind. It is counted when somebody asks: that reads every failure, and the dead
// letters of Kafka, which no refresh of the overview may cost.
import { Anchor, Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useClient } from '../../api/session.tsx';
import { useFormat } from '../../format/use-format.ts';
import listStyles from '../../parts/list.module.css';
import { Section } from '../../parts/page.tsx';
import { ErrorState } from '../../parts/states.tsx';
import textStyles from '../../parts/text.module.css';
import classes from './overview.module.css';

type Failure = Output<'GET /failures'>['failures'][number];

/** In this order. Calls are only those that nothing else of the list stands for. */
const KINDS = {
  run: ['/syncs', {}],
  record: ['/syncs', {}],
  row: ['/syncs', {}],
  member: ['/campaigns', {}],
  event: ['/events', { state: 'failed' }],
  refusal: ['/events', { tab: 'refusals' }],
  'dead letter': ['/events', { tab: 'dead' }],
  outbox: ['/conversations', {}],
  poller: ['/conversations', {}],
  call: null,
} as const satisfies Record<Failure['kind'] | 'refusal', readonly [string, object] | null>;
const ORDER = Object.keys(KINDS) as (keyof typeof KINDS)[];
/** Groups read, and codes named per kind. */
const GROUPS = 500;
const CODES = 3;

export function Failures() {
  const { t } = useTranslation('overview');
  const client = useClient();
  const count = useMutation({
    mutationFn: async () => {
      const { since, hours } = await client.call('GET /refusals/hours', {});
      // Refused requests are counted by full hours, so everything else is counted from the same hour on.
      const { failures, repaired, more, problems } = await client.call('GET /failures', {
        since,
        limit: GROUPS,
      });
      const refused = hours.map(({ code, count: events }) => ({
        kind: 'refusal' as const,
        code,
        count: events,
      }));
      return { since, groups: [...failures, ...refused], repaired, more, problems };
    },
  });
  return (
    <Section
      title={t('failures.title')}
      about={t('failures.about')}
      actions={
        <Button size="xs" variant="default" loading={count.isPending} onClick={() => count.mutate()}>
          {t(count.data === undefined ? 'failures.count' : 'failures.again')}
        </Button>
      }
      flush={count.data !== undefined}
    >
      {count.error !== null && <ErrorState error={count.error} onRetry={() => count.mutate()} />}
      {count.data !== undefined && (
        <Suspense>
          <Kinds {...count.data} />
        </Suspense>
      )}
    </Section>
  );
}

interface KindsProps {
  readonly since: string;
  readonly groups: readonly {
    readonly kind: keyof typeof KINDS;
    readonly code: string;
    readonly count: number;
  }[];
  readonly repaired: number;
  readonly more: boolean;
  readonly problems: readonly string[];
}

function Kinds({ since, groups, repaired, more, problems }: KindsProps) {
  const { t } = useTranslation('failures');
  const format = useFormat();
  const kinds = ORDER.flatMap((kind) => {
    const codes = new Map<string, number>();
    for (const { code, count } of groups.filter((each) => each.kind === kind))
      codes.set(code, (codes.get(code) ?? 0) + count);
    const sum = [...codes.values()].reduce((all, count) => all + count, 0);
    return sum === 0 ? [] : [{ kind, sum, codes: [...codes].toSorted(([, a], [, b]) => b - a) }];
  });
  const notes = [
    t('since', { since: format.moment(since) }),
    ...(repaired > 0 ? [t('repaired', { count: repaired })] : []),
    ...(more ? [t('more')] : []),
    ...problems,
  ];
  return (
    <div role="status">
      <ul className={listStyles.list}>
        {kinds.length === 0 && <li>{t('none')}</li>}
        {kinds.map(({ kind, sum, codes }) => (
          <li key={kind} className={classes.health}>
            <div className={classes.grow}>
              {KINDS[kind] === null ? (
                <strong>{t(`kind.${kind}`)}</strong>
              ) : (
                <Anchor component={Link} to={KINDS[kind][0]} search={KINDS[kind][1] as never}>
                  {t(`kind.${kind}`)}
                </Anchor>
              )}
              <div className={textStyles.small}>
                {codes
                  .slice(0, CODES)
                  .map(([code, count]) => `${code}: ${format.count(count)}`)
                  .join(' · ')}
              </div>
            </div>
            <strong>{format.count(sum)}</strong>
          </li>
        ))}
      </ul>
      {notes.map((note) => (
        <p key={note} className={listStyles.note}>
          {note}
        </p>
      ))}
    </div>
  );
}
