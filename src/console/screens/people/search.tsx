// Finds people by what an operator has: a number in any spelling, an e-mail address, a name, an id.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconSearch, IconUserSearch } from '@tabler/icons-react';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCall } from '../../api/use-call.ts';
import { usePersonQueries } from '../../app/person-queries.tsx';
import { useUrlValue } from '../../app/use-url-state.ts';
import { Section } from '../../parts/page.tsx';
import { EmptyState } from '../../parts/states.tsx';
import classes from './people.module.css';
import { SearchResults } from './search-results.tsx';

/** The server refuses shorter queries. */
const SHORTEST = 2;

export function Search() {
  const { t } = useTranslation('people');
  const { queryOf } = usePersonQueries();
  const query = queryOf(useLocation().state);
  return (
    <div className={classes.main}>
      {/* A search from the top bar replaces what stands here. */}
      <SearchForm key={query} query={query} />
      {query.length < SHORTEST ? (
        <Section title={t('search.results')} flush>
          <EmptyState
            icon={<IconUserSearch size={24} stroke={1.5} />}
            title={t('search.start')}
            text={t('search.startText')}
          />
        </Section>
      ) : (
        <SearchResults key={`of ${query}`} query={query} />
      )}
    </div>
  );
}

function SearchForm({ query }: { readonly query: string }) {
  const { t } = useTranslation('people');
  const { t: table } = useTranslation('table');
  const navigate = useNavigate();
  const { stateOf } = usePersonQueries();
  const [text, setText] = useState(query);
  const [account, setAccount] = useUrlValue<string>('account', '');
  const accounts = useCall('GET /accounts', {}).data?.accounts ?? [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted.length >= SHORTEST)
      void navigate({
        to: '/people',
        search: (account === '' ? {} : { account }) as never,
        state: stateOf(wanted),
      });
  };
  return (
    <Section title={t('search.button')} flush>
      <form onSubmit={submit} className={classes.form}>
        <TextInput
          type="search"
          className={classes.query}
          label={t('search.label')}
          value={text}
          maxLength={200}
          autoComplete="off"
          data-autofocus
          leftSection={<IconSearch size={16} aria-hidden />}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {accounts.length > 1 && (
          <NativeSelect
            label={t('search.account')}
            value={account}
            data={[
              { value: '', label: table('all', { what: t('search.account') }) },
              ...accounts.map(({ account: name }) => ({ value: name, label: name })),
            ]}
            onChange={(event) => setAccount(event.currentTarget.value)}
          />
        )}
        <Button type="submit" size="sm" disabled={text.trim().length < SHORTEST}>
          {t('search.button')}
        </Button>
        <p className={classes.help}>{t('search.help')}</p>
      </form>
    </Section>
  );
}
