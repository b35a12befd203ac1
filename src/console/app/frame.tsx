// What surrounds every screen: the login where it is needed, else navigation, top bar and the screen itself.
import { AppShell, Burger, Group, NavLink, ScrollArea, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Activity, lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession, ViewerContext } from '../api/session.tsx';
import { ErrorState } from '../parts/states.tsx';
import { Connection, ShownZone } from './connection.tsx';
import classes from './frame.module.css';
import { PersonSearch } from './person-search.tsx';
import { SCREENS } from './screens.ts';
import { ViewerMenu } from './viewer-menu.tsx';
import { Waiting } from './waiting.tsx';

const Login = lazy(() => import('../screens/login/login.tsx'));
const RequiredSecondFactor = lazy(() => import('../screens/login/required-second-factor.tsx'));

export function Frame() {
  const session = useSession();
  const user = session.data?.user ?? null;
  const [viewer, setViewer] = useState(user);
  const [isLeaving, setLeaving] = useState(false);
  if (user !== null && user !== viewer) setViewer(user);
  if (user === null && isLeaving) {
    setViewer(null);
    setLeaving(false);
  }
  if (session.isPending) return <Waiting />;
  if (session.data === undefined)
    return (
      <main className={classes.alone}>
        <ErrorState error={session.error} onRetry={() => void session.refetch()} />
      </main>
    );
  return (
    <>
      {user === null && (
        <Suspense fallback={<Waiting />}>
          <Login session={session.data} />
        </Suspense>
      )}
      {viewer !== null && (
        // Behind the login of an expired session the screen stays as it is, for its viewer alone: forms keep their text.
        <Activity mode={user === null ? 'hidden' : 'visible'}>
          <ViewerContext value={{ user: viewer, leave: () => setLeaving(true) }}>
            <SecondFactorGate key={viewer.identity} isClosed={viewer.needsSecondFactor}>
              <Shell />
            </SecondFactorGate>
          </ViewerContext>
        </Activity>
      )}
    </>
  );
}

/** The recovery codes stay until the viewer has closed them, although the session needs nothing any more by then. */
function SecondFactorGate({
  isClosed,
  children,
}: {
  readonly isClosed: boolean;
  readonly children: ReactNode;
}) {
  const [recovery, setRecovery] = useState<readonly string[] | null>(null);
  if (!isClosed && recovery === null) return children;
  return (
    <Suspense fallback={<Waiting />}>
      <RequiredSecondFactor recovery={recovery} onRecovery={setRecovery} />
    </Suspense>
  );
}

function Shell() {
  const { t } = useTranslation('common');
  const [menuIsOpen, { toggle: toggleMenu, close: closeMenu }] = useDisclosure(false);
  const { pathname } = useLocation();
  // The first folder decides: a run of a sync belongs to the syncs.
  const current = `/${pathname.split('/')[1] ?? ''}`;
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !menuIsOpen } }}
      padding={0}
    >
      <a href="#content" className={classes.skip}>
        {t('frame.skip')}
      </a>
      <AppShell.Header className={classes.header}>
        <Group gap="xs" wrap="nowrap" className={classes.brand}>
          <Burger
            opened={menuIsOpen}
            onClick={toggleMenu}
            hiddenFrom="sm"
            size="sm"
            aria-label={t(menuIsOpen ? 'frame.closeMenu' : 'frame.openMenu')}
          />
          <Link to="/" className={classes.name}>
            Sluice
          </Link>
        </Group>
        <PersonSearch />
        <Group gap="xs" wrap="nowrap" className={classes.tools}>
          <Connection />
          <ShownZone />
          <ViewerMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label={t('frame.screens')}>
        <AppShell.Section grow component={ScrollArea}>
          {SCREENS.map(({ id, path, icon: Icon }) => (
            <NavLink
              key={id}
              component={Link}
              to={path}
              label={t(`screen.${id}`)}
              leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
              onClick={closeMenu}
              active={current === path}
              aria-current={current === path ? 'page' : undefined}
              className={classes.link}
            />
          ))}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main className={classes.main} id="content" tabIndex={-1}>
        <Suspense fallback={<Waiting />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      <VisuallyHidden>
        <Text role="status">
          {t(`screen.${SCREENS.find(({ path }) => path === current)?.id ?? 'overview'}`)}
        </Text>
      </VisuallyHidden>
    </AppShell>
  );
}
