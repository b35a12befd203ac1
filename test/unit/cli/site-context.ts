// An operator API with one route, `site`, which tags people, for the commands on what reached it.
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { operatorContext, startsEvents } from '../../support/operator/context.ts';
import { runHere } from '../../support/runner/run-here.ts';

/** Call it once, at the top of a test file. @param group the command of `sluice` that is tried */
export function siteContext(group: string, register: (program: Command, env: NodeJS.ProcessEnv) => void) {
  const site = {
    account: 'acme',
    action: { type: 'tags', number: 'phone', defaultCountry: 'BR', add: ['vip'] },
    http: { path: '/site', auth: { type: 'none' } },
  };
  const accounts = { acme: { baseUrl: 'http://127.0.0.1:1/wapi', tokens: ['env:A'] } };
  const { db, operator, path } = operatorContext({
    yaml: { version: 1, accounts, routes: { site } },
    temporal: () => startsEvents(() => undefined),
  });

  return {
    db,
    sluice: (...args: string[]) =>
      runHere((program) => register(program, {}), [group, ...args, '--server', operator.server]),
    /** Writes a file for the command. @returns its path */
    async file(name: string, text: string): Promise<string> {
      await writeFile(path(name), text);
      return path(name);
    },
  };
}
