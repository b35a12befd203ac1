// What happened to this person, and why did they get no message?
import { Anchor } from '@mantine/core';
import { Link, useLocation, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { OperatorError } from '../../../operator/error.ts';
import type { Output } from '../../api/client.ts';
import { useCall } from '../../api/use-call.ts';
import { useCodeWords } from '../../app/code-words.ts';
import { describeError } from '../../app/describe-error.ts';
import { usePersonQueries } from '../../app/person-queries.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { ScreenLink } from '../../parts/screen-link.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { EraseButton, Erased } from './erase.tsx';
import { ExportButton } from './export.tsx';
import { PersonOptOut } from './opt-outs/person-opt-out.tsx';
import classes from './people.module.css';
import { PersonFacts } from './person-facts.tsx';
import { PersonTimeline } from './person-timeline.tsx';
import type { Who } from './who.ts';
import { WhyList } from './why.tsx';

export default function PersonScreen() {
  const { account = '', person = '' } = useParams({ strict: false }) as Readonly<Record<string, string>>;
  return <PersonPage key={`${account} ${person}`} account={account} person={person} />;
}

function PersonPage({ account, person }: Who) {
  const { t } = useTranslation('people');
  const { t: common } = useTranslation('common');
  const words = useCodeWords();
  const [erased, setErased] = useState<Output<'POST /people/{account}/{person}/erase'> | null>(null);
  const shown = useCall('GET /people/{account}/{person}', { account, person }, { enabled: erased === null });
  if (erased !== null)
    return (
      <Page title={t('erase.doneTitle')} lead={t('erase.doneLead')} trail={[<BackLink key="back" />]}>
        <Erased erased={erased} />
      </Page>
    );
  const { data, error } = shown;
  return (
    <Page
      title={data?.name ?? data?.number ?? t('person.fallback', { person })}
      trail={[<BackLink key="back" />]}
      lead={account}
      actions={
        data && (
          <>
            <PersonOptOut person={data} />
            <ExportButton account={account} person={person} />
          </>
        )
      }
    >
      {data === undefined && error instanceof OperatorError && error.kind === 'notFound' ? (
        <Section title={t('person.facts')} flush>
          <EmptyState
            title={describeError(error, common, words).message}
            text={t('person.gone')}
            action={<SearchAgain />}
          />
        </Section>
      ) : (
        <Loaded of={shown}>
          {(found) => (
            <div className={classes.person}>
              <div className={classes.side}>
                <PersonFacts person={found} />
                <div>
                  <EraseButton person={found} onErased={setErased} />
                </div>
              </div>
              <div className={classes.main}>
                <WhyList account={account} why={found.why} />
                <PersonTimeline account={account} person={person} />
              </div>
            </div>
          )}
        </Loaded>
      )}
    </Page>
  );
}

/** Back to the results of the search that led here. */
function BackLink() {
  return <ScreenLink to="people" state={useBack()} />;
}

/** The search that led here stands in the history, not in the address. */
function useBack(): object {
  const { queryOf, stateOf } = usePersonQueries();
  const query = queryOf(useLocation().state);
  return query === '' ? {} : stateOf(query);
}

function SearchAgain() {
  const { t } = useTranslation('people');
  return (
    <Anchor component={Link} to="/people" state={useBack()}>
      {t('person.searchAgain')}
    </Anchor>
  );
}
