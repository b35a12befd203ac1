// A server of the whole operator API, and a browser of a user for each role.
import { expect } from 'vitest';
import { createOperator } from '../../../../src/app/operator.ts';
import type { LoadedConfig } from '../../../../src/config/load.ts';
import { ROLES, type Role } from '../../../../src/core/endpoint.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { addUser, type Browser, openBrowser } from './http-context.ts';

export async function serveRoles(db: Database, config: () => LoadedConfig) {
  const operator = createOperator({
    db,
    config,
    live: null,
    temporal: () => Promise.reject(new Error('this test has no Temporal server')),
    runningTemporal: async () => null,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    env: {},
    stateDir: '/nowhere',
  });
  const server = await operator.listen(false);
  const browsers = new Map<Role, Browser>();
  for (const role of ROLES) {
    await addUser(db, role, role);
    const browser = openBrowser(server);
    expect((await browser.login(role)).status).toBe(200);
    browsers.set(role, browser);
  }
  return { server, browser: (role: Role) => browsers.get(role) as Browser };
}
