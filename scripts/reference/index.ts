// The pages of docs/reference that are made from code.
import { renderCli } from './cli.ts';
import { renderConfiguration } from './configuration.ts';
import { renderEvents } from './events.ts';
import { renderExitCodes } from './exit-codes.ts';
import { renderLogs } from './logs.ts';
import { renderMetrics } from './metrics.ts';
import { renderOperatorApi } from './operator-api.ts';

/** Name of the file in docs/reference, and its text. */
export async function renderReference(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['configuration.md', renderConfiguration()],
    ['cli.md', await renderCli()],
    ['exit-codes.md', renderExitCodes()],
    ['events.md', renderEvents()],
    ['logs.md', renderLogs()],
    ['metrics.md', renderMetrics()],
    ['operator-api.md', renderOperatorApi()],
  ]);
}
