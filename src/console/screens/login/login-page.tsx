// What takes the place of every screen before the viewer is in: its title, a box, and the languages.
import { Paper, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { LanguageLinks } from './language-links.tsx';
import classes from './login.module.css';

export function LoginPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  return (
    <main className={classes.page}>
      <Paper withBorder p="xl" radius="md" className={classes.box}>
        <Title order={1} mb="md">
          {title}
        </Title>
        {children}
      </Paper>
      <LanguageLinks />
    </main>
  );
}
