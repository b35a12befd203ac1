// What failed in a period, by kind and job, with the link to each job.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useFormat } from '../../format/use-format.ts';
import { useRouteName } from '../../format/use-route-name.ts';
import listStyles from '../../parts/list.module.css';
import textStyles from '../../parts/text.module.css';
import classes from './overview.module.css';

type Found = Output<'GET /failures'>;
type Failure = Found['failures'][number];

/** In this order. Calls are only those that nothing else of the list stands for. */
const ORDER: readonly Failure['kind'][] = [
  'run',
  'record',
  'row',
  'member',
  'event',
  'refusal',
  'dead letter',
  'outbox',
  'poller',
  'call',
];
/** Lines of a kind. */
const LINES = 20;

/** The page of what failed. Null: calls have none. */
function placeOf({ kind, account, name, run }: Failure): readonly [string, object] | null {
  if (kind === 'call') return null;
  if (kind === 'event') return ['/events', { state: 'failed', route: name }];
  if (kind === 'refusal') return ['/events', { tab: 'refused', route: name }];
  if (kind === 'dead letter') return ['/events', { tab: 'dead', route: name }];
  if (kind === 'outbox' || kind === 'poller') return ['/conversations', {}];
  const isCampaign = kind === 'member' || /^[^/]+\/[+]/.test(run ?? '');
  return isCampaign ? ['/campaigns', { run: run ?? '' }] : ['/syncs', { account, name, run: run ?? '' }];
}

export function FailureLines({ found }: { readonly found: Found }) {
  const { t } = useTranslation('failures');
  const format = useFormat();
  const { since, failures, repaired, retriedCalls, more, problems } = found;
  const kinds = ORDER.flatMap((kind) => {
    const lines = failures.filter((each) => each.kind === kind);
    const sum = lines.reduce((all, { count }) => all + count, 0);
    return sum === 0 ? [] : [{ kind, sum, lines: lines.toSorted((a, b) => b.count - a.count) }];
  });
  const isCut = more || kinds.some(({ lines }) => lines.length > LINES);
  const notes = [
    t('since', { since: format.moment(since) }),
    ...(repaired > 0 ? [t('repaired', { count: repaired, shown: format.count(repaired) })] : []),
    ...(retriedCalls > 0 ? [t('retried', { count: retriedCalls, shown: format.count(retriedCalls) })] : []),
    ...(isCut ? [t('more')] : []),
    ...problems,
  ];
  return (
    <div role="status">
      <ul className={listStyles.list}>
        {kinds.length === 0 && <li>{t('none')}</li>}
        {kinds.map(({ kind, sum, lines }) => (
          <li key={kind} className={classes.health}>
            <div className={classes.grow}>
              <strong>{t(`kind.${kind}`)}</strong>
              {lines.slice(0, LINES).map((line) => (
                <FailedJob
                  key={[line.account, line.name, line.run, line.outcome, line.code].join(' ')}
                  of={line}
                />
              ))}
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

/** Runs are counted for each sync and campaign. */
const numberOf = (run: string) => run.split('/').at(-1) ?? run;

/** The job with the link to its page, how many of it failed with which code, and in which run. */
function FailedJob({ of }: { readonly of: Failure }) {
  const { t } = useTranslation('failures');
  const format = useFormat();
  const name = useRouteName()(of.name);
  const place = placeOf(of);
  return (
    <div className={textStyles.small}>
      {place === null ? (
        name
      ) : (
        <Anchor component={Link} to={place[0]} search={place[1] as never} inherit>
          {name}
        </Anchor>
      )}
      {` · ${of.code}: ${format.count(of.count)}`}
      {of.run !== null && ` · ${t('run', { run: numberOf(of.run), at: format.moment(of.lastAt) })}`}
    </div>
  );
}
