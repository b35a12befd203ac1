// Which address shows which screen. Each screen is a chunk of its own. What a screen shows (filters, tab, chosen row) is in
// the query of its address: see use-url-state.ts.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { ErrorScreen, NotFoundScreen } from './error-screens.tsx';
import { Frame } from './frame.tsx';

const root = createRootRoute({ component: Frame });

const screen = <P extends string>(path: P, load: () => Promise<{ default: React.ComponentType }>) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load) });

const routeTree = root.addChildren([
  screen('/', () => import('../screens/overview/overview.tsx')),
  screen('/login', () => import('../screens/login/login-address.tsx')),
  screen('/syncs', () => import('../screens/syncs/syncs.tsx')),
  screen('/campaigns', () => import('../screens/campaigns/campaigns.tsx')),
  screen('/conversations', () => import('../screens/conversations/conversations.tsx')),
  screen('/events', () => import('../screens/events/events.tsx')),
  screen('/people', () => import('../screens/people/people.tsx')),
  screen('/people/$account/$person', () => import('../screens/people/person.tsx')),
  screen('/settings', () => import('../screens/settings/settings.tsx')),
]);

/** How the address is read and written. */
export const urlOptions = {
  parseSearch: (text: string) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search: Readonly<Record<string, unknown>>) => {
    const text = new URLSearchParams(
      Object.entries(search).flatMap(([name, value]) =>
        value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
      ),
    ).toString();
    return text === '' ? '' : `?${text}`;
  },
};

export function createConsoleRouter() {
  return createRouter({
    routeTree,
    parseSearch: urlOptions.parseSearch,
    stringifySearch: urlOptions.stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: ErrorScreen,
    defaultNotFoundComponent: NotFoundScreen,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
