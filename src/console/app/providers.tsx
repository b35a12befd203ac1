// Everything that screens expect around them.
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { LiveProvider } from '../api/live.tsx';
import { createQueryClient } from '../api/query-client.ts';
import { ClientProvider } from '../api/session.tsx';
import { ZoneProvider } from '../format/zone.tsx';
import { ConfirmProvider } from '../parts/confirm.tsx';
import { styleNonce } from './nonce.ts';
import { PersonQueriesProvider } from './person-queries.tsx';
import { createConsoleRouter } from './router.tsx';
import { cssVariables, theme } from './theme.ts';

const schemes = localStorageColorSchemeManager({ key: 'sluice.color-scheme' });

export function Providers() {
  const [queries] = useState(createQueryClient);
  const [router] = useState(createConsoleRouter);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={schemes}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Notifications position="top-center" limit={4} />
      <QueryClientProvider client={queries}>
        <ClientProvider>
          <LiveProvider>
            <ZoneProvider>
              <PersonQueriesProvider>
                <ConfirmProvider>
                  <RouterProvider router={router} />
                </ConfirmProvider>
              </PersonQueriesProvider>
            </ZoneProvider>
          </LiveProvider>
        </ClientProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}
