// The outline of a screen: its name, the question that it answers, buttons, and sections.
import { Breadcrumbs, Group, Title } from '@mantine/core';
import { type ReactNode, useEffect, useId } from 'react';
import classes from './page.module.css';

export interface PageProps {
  readonly title: string;
  /** The answer to the question of this screen, in one sentence: `All is well` or `3 things need you`. */
  readonly lead?: ReactNode;
  /** Links to the screens above this one. */
  readonly trail?: readonly ReactNode[];
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

export function Page({ title, lead, trail, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <div>
          {trail !== undefined && (
            <Breadcrumbs fz="xs" mb={4}>
              {trail}
            </Breadcrumbs>
          )}
          <Title order={1}>{title}</Title>
          {lead !== undefined && <div className={classes.lead}>{lead}</div>}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </header>
      {children}
    </div>
  );
}

export interface SectionProps {
  readonly title: string;
  /** One line under the title. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** Without padding, for tables and lists that reach the edge. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

export function Section({ title, about, actions, flush = false, children }: SectionProps) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <header className={classes.sectionHead}>
        <div>
          <Title order={2} id={id}>
            {title}
          </Title>
          {about !== undefined && <div className={classes.about}>{about}</div>}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </header>
      <div className={flush ? classes.flush : classes.body}>{children}</div>
    </section>
  );
}

/** Sections side by side where there is room; `main` is twice as wide. */
export function Columns({ main, side }: { readonly main: ReactNode; readonly side: ReactNode }) {
  return (
    <div className={classes.columns}>
      <div className={classes.stack}>{main}</div>
      <div className={classes.stack}>{side}</div>
    </div>
  );
}

/** A name and its value, one a line; for details of a thing. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
