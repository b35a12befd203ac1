// Finds a person from every screen. What is typed may be a phone number: it goes along in the history of this tab, and
// never into the address.
import { TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './frame.module.css';

declare module '@tanstack/history' {
  interface HistoryState {
    /** What the viewer searches a person by. */
    readonly personQuery?: string;
  }
}

export function PersonSearch() {
  const { t } = useTranslation('common');
  const navigate = useNavigate();
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
    const personQuery = text.trim();
    if (personQuery !== '') void navigate({ to: '/people', state: { personQuery } });
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
