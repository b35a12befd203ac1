// What a search found. One person is opened at once.
import { Anchor, Button } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useClient, useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { notifyError } from '../../app/notify.ts';
import { usePersonQueries } from '../../app/person-queries.tsx';
import { useUrlValue } from '../../app/use-url-state.ts';
import listStyles from '../../parts/list.module.css';
import { Section } from '../../parts/page.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { Chip } from '../../parts/status.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import { PlaceLink } from './links.tsx';
import classes from './people.module.css';

type Found = Output<'POST /people/search'>;

interface Actions {
  readonly actions: ReactNode;
}

export function SearchResults({ query }: { readonly query: string }) {
  const { t } = useTranslation('people');
  const { t: common } = useTranslation('common');
  const [account] = useUrlValue<string>('account', '');
  const input = account === '' ? { query } : { query, account };
  const search = useCall('POST /people/search', input);
  const client = useClient();
  const may = useMay('operator');
  // Asked for once: a list that is read again by itself must not show more than the viewer asked for.
  const plain = useMutation({
    mutationFn: () => client.call('POST /people/search', Object.assign({ unmask: true }, input)),
    onError: (error) => notifyError(error, common),
  });
  return (
    <Loaded of={search}>
      {(found) => {
        const { people, more, readings, rejected, merged, excluded } = plain.data ?? found;
        const rows = rejected.length + merged.length + excluded.length;
        const [only] = people;
        if (only !== undefined && people.length === 1 && rows === 0)
          return (
            <Navigate
              to="/people/$account/$person"
              params={{ account: only.account, person: only.person }}
              replace
            />
          );
        const hidden = people.length + rows > 0 && plain.data === undefined && may;
        const reveal = hidden && (
          <Button
            variant="default"
            leftSection={<IconEye size={14} aria-hidden />}
            title={common('masked.audited')}
            loading={plain.isPending}
            onClick={() => plain.mutate()}
          >
            {t('search.reveal')}
          </Button>
        );
        // Where nobody is known, the rows are the answer. The button stands at the top of what is shown.
        const isKnown = people.length > 0 || rows === 0;
        const open = rejected.filter(({ later }) => later === null);
        const corrected = rejected.filter(({ later }) => later !== null);
        const at = [isKnown, open.length > 0, corrected.length > 0, excluded.length > 0].indexOf(true);
        return (
          <>
            {isKnown && (
              <Section
                title={t('search.results')}
                about={readings.length > 0 && t('search.readings', { numbers: readings.join(', ') })}
                actions={reveal}
                flush
              >
                {people.length === 0 ? (
                  <EmptyState title={t('search.none')} text={t('search.noneText')} />
                ) : (
                  <ul className={listStyles.list}>
                    {people.map((hit) => (
                      <Hit key={`${hit.account} ${hit.person}`} hit={hit} query={query} />
                    ))}
                  </ul>
                )}
                {more && <p className={listStyles.note}>{t('search.more')}</p>}
              </Section>
            )}
            <Rejected title="rejected" rows={open} actions={at === 1 && reveal} />
            <Rejected title="corrected" rows={corrected} actions={at === 2 && reveal} />
            {excluded.length > 0 && <Excluded members={excluded} actions={at === 3 && reveal} />}
            {merged.length > 0 && <MergedRows rows={merged} actions={at === -1 && reveal} />}
          </>
        );
      }}
    </Loaded>
  );
}

function Hit({ hit, query }: { readonly hit: Found['people'][number]; readonly query: string }) {
  const { t, i18n } = useTranslation('people');
  const { stateOf } = usePersonQueries();
  const { account, person, name, number, email, by } = hit;
  const words = by.map((each) => (i18n.exists(`people:by.${each}`) ? t(`by.${each}` as 'by.name') : each));
  return (
    <li className={classes.hit}>
      <div>
        <Anchor
          component={Link}
          to="/people/$account/$person"
          params={{ account, person } as never}
          state={stateOf(query)}
          className={classes.hitName}
        >
          {name ?? number ?? t('search.noName')}
        </Anchor>
        <div className={textStyles.small}>
          {[name === null ? null : number, email].filter((text) => text !== null).join(' · ')}
        </div>
      </div>
      <div className={textStyles.small}>
        <Chip tone="idle">{account}</Chip> {t('search.by', { by: words.join(', ') })}
      </div>
    </li>
  );
}

function Rejected({
  title,
  rows,
  actions,
}: Actions & {
  readonly title: 'rejected' | 'corrected';
  readonly rows: Found['rejected'];
}) {
  const { t } = useTranslation('people');
  if (rows.length === 0) return null;
  return (
    <Section title={t(`search.${title}`)} about={t(`search.${title}About`)} actions={actions} flush>
      <ul className={listStyles.list}>
        {rows.map(({ column, value, problem, later, ...found }) => (
          <li key={`${found.run} ${found.row}`}>
            <FoundRow found={found} />
            <div className={classes.reason}>
              {column !== null && <code>{column}</code>} {value}
            </div>
            <div className={textStyles.small}>
              <Reason code={problem.code} reason={problem.reason} params={problem.params} />
            </div>
            {later !== null && (
              <div className={textStyles.small}>
                <PlaceLink to="/syncs" search={{ account: found.account, name: found.sync, run: later.run }}>
                  {later.row === null
                    ? t('search.readAgain', { run: later.run })
                    : t('search.sentLater', { run: later.run, row: later.row })}
                </PlaceLink>{' '}
                <Time at={later.at} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Excluded({ members, actions }: Actions & { readonly members: Found['excluded'] }) {
  const { t } = useTranslation('people');
  return (
    <Section title={t('search.excluded')} about={t('search.excludedAbout')} actions={actions} flush>
      <ul className={listStyles.list}>
        {members.map(({ account, campaign, run, member, row, at, by, name, email, value, problem }) => (
          <li key={member}>
            <PlaceLink to="/campaigns" search={{ account, name: campaign, run, tab: 'members' }}>
              {row === null
                ? t('search.excludedContact', { campaign })
                : t('search.excludedBy', { campaign })}
            </PlaceLink>{' '}
            <span className={textStyles.small}>
              {row !== null && `${t('search.excludedRow', { row })} · `}
              <Time at={at} /> · {t('search.by', { by: by.map((each) => t(`by.${each}`)).join(', ') })}
            </span>
            <div>{[name, email, value].filter((text) => text !== null).join(' · ')}</div>
            <div className={textStyles.small}>
              <Reason code={problem.code} reason={problem.reason} />
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function MergedRows({ rows, actions }: Actions & { readonly rows: Found['merged'] }) {
  const { t } = useTranslation('people');
  return (
    <Section title={t('search.merged')} about={t('search.mergedAbout')} actions={actions} flush>
      <ul className={listStyles.list}>
        {rows.map(({ into, ...found }) => (
          <li key={`${found.run} ${found.row}`}>
            <FoundRow found={found} />
            <div className={textStyles.small}>
              {into === null ? t('search.mergedEarlier') : t('search.mergedInto', { row: into })}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Which row it is, and who it is about. */
function FoundRow({ found }: { readonly found: Omit<Found['merged'][number], 'into'> }) {
  const { t } = useTranslation('people');
  const { account, sync, run, row, at, name, email, by } = found;
  return (
    <>
      <PlaceLink to="/syncs" search={{ account, name: sync, run }}>
        {t('search.rejectedRow', { row, run })}
      </PlaceLink>{' '}
      <span className={textStyles.small}>
        <Time at={at} /> · {t('search.by', { by: by.map((each) => t(`by.${each}`)).join(', ') })}
      </span>
      {(name ?? email) !== null && <div>{[name, email].filter((text) => text !== null).join(' · ')}</div>}
    </>
  );
}
