// Finds a person from every screen. What is typed may be a phone number: it goes neither into the address nor into the
// history.
import { TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './frame.module.css';
import { usePersonQueries } from './person-queries.tsx';

export function PersonSearch() {
  const { t } = useTranslation('common');
  const navigate = useNavigate();
  const { stateOf } = usePersonQueries();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const { pathname } = useLocation();
  const [shownOn, setShownOn] = useState(pathname);
  // A number belongs to its search: it does not stay on the screens after it.
  if (shownOn !== pathname) {
    setShownOn(pathname);
    if (!pathname.startsWith('/people')) setText('');
  }
  useHotkeys([['/', () => field.current?.focus()]]);
  const search = (event: FormEvent) => {
    event.preventDefault();
    const query = text.trim();
    if (query !== '') void navigate({ to: '/people', state: stateOf(query) });
  };
  return (
    <search className={classes.search}>
      <form onSubmit={search}>
        <TextInput
          ref={field}
          size="xs"
          type="search"
          autoComplete="off"
          aria-label={t('search.label')}
          placeholder={t('search.placeholder')}
          leftSection={<IconSearch size={14} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}
