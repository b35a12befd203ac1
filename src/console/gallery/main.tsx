// All shared parts on one page, for tests and for whoever builds a screen. It is not in the built console:
// `npm run console:dev` serves it at /gallery/.
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import '../app/styles.ts';
import { createQueryClient } from '../api/query-client.ts';
import { ClientProvider, type Viewer, ViewerContext } from '../api/session.tsx';
import { publishNonce, styleNonce } from '../app/nonce.ts';
import { urlOptions } from '../app/router.tsx';
import { cssVariables, theme } from '../app/theme.ts';
import { ZoneProvider } from '../format/zone.tsx';
import { startI18n } from '../i18n/index.ts';
import { ConfirmProvider } from '../parts/confirm.tsx';
import { Gallery } from './gallery.tsx';

/** Sees everything that a part can show. */
const VIEWER: Viewer = {
  user: {
    name: 'ana',
    displayName: 'Ana',
    identity: 'user:ana',
    role: 'admin',
    via: 'session',
    needsSecondFactor: false,
  },
  leave: () => undefined,
};

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');
publishNonce();
await startI18n();
const route = createRootRoute({ component: Gallery, notFoundComponent: Gallery });
const router = createRouter({
  routeTree: route,
  parseSearch: urlOptions.parseSearch,
  stringifySearch: urlOptions.stringifySearch,
});
createRoot(root).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    defaultColorScheme="auto"
    getStyleNonce={styleNonce}
  >
    <Notifications />
    <QueryClientProvider client={createQueryClient()}>
      <ClientProvider>
        <ZoneProvider>
          <ConfirmProvider>
            <ViewerContext value={VIEWER}>
              <RouterProvider router={router as never} />
            </ViewerContext>
          </ConfirmProvider>
        </ZoneProvider>
      </ClientProvider>
    </QueryClientProvider>
  </MantineProvider>,
);
