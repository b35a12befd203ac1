// `sluice refused replay`: hands refused requests to their routes again, as they arrived or one with a corrected body.
import type { Command } from 'commander';
import { withOperator } from '../../../../cli/lib/connect/connect.ts';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { readText } from '../../../../cli/lib/read-file.ts';
import { printDryRun } from '../../../../cli/lib/terminal/dry-run.ts';
import { printReplays } from '../../../../cli/lib/terminal/replayed.ts';
import type { OperatorClient } from '../../../../operator/client/client.ts';
import type { DryRunResult } from '../../contract/refusals.ts';
import { untilEnded } from '../events/until-ended.ts';
import {
  type Choice,
  type ChoiceOptions,
  choiceOf,
  chooseRequests,
  MOST_IDS,
  withChoice,
} from './refused-options.ts';

interface Options extends ChoiceOptions {
  readonly body?: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** Maximum number of requests of a dry run. */
const MOST_TRIED = 1000;

export function registerRefusedReplay(refused: Command, env: NodeJS.ProcessEnv): void {
  withChoice(refused.command('replay'))
    .description(
      'hand refused requests to their routes again, the oldest first; a repeated replay makes one event',
    )
    .option('--body <file>', 'file with the corrected body of exactly one request, or - for stdin')
    .option('--dry-run', 'only show what each request would result in now, next to its original error', false)
    .option('--json', 'print one JSON object per line', false)
    .action(async (ids: string[], options: Options) => {
      const { json } = options;
      const choice = choiceOf(ids, options, options.dryRun);
      if (options.body !== undefined && ids.length !== 1)
        throw new CliError(EXIT.usage, '--body needs exactly one id: it is the body of that request');
      const body = options.body === undefined ? undefined : await readText('--body', options.body);
      const command = { command: 'sluice refused replay' };
      await withOperator(options, env, command, async (client, { where }, { signal }) => {
        if (options.dryRun) return await dryRun(client, choice, body, json);
        const { code, events } = await printReplays(replays(client, choice, body, signal), {
          json,
          none: 'no open request matches',
        });
        if (where === 'here') await untilEnded(client, events);
        return code;
      });
    });
}

async function dryRun(
  client: OperatorClient,
  choice: Choice,
  body: string | undefined,
  json: boolean,
): Promise<number> {
  const limit = Math.min(choice.limit ?? MOST_TRIED, MOST_TRIED);
  const chosen = await chooseRequests(client, { ...choice, limit });
  const results: DryRunResult[] = [];
  for (const id of chosen.ids) {
    const { route, code, reason, now, resolution } = await client.call('GET /refused-requests/{id}', { id });
    if (resolution !== null)
      throw new CliError(EXIT.conflict, `${id} was ${resolution.how} by ${resolution.by}`);
    const tried =
      body === undefined && now !== null
        ? now
        : (await client.call('POST /refused-requests/{id}/dry-run', { id, body })).now;
    results.push({ id, route, then: { outcome: 'refused', code, reason }, now: tried });
  }
  return await printDryRun(results, { one: 'refused request', total: chosen.total, json });
}

/** Results as the answers come. */
async function* replays(
  client: OperatorClient,
  { ids = [], limit, ...filter }: Choice,
  body: string | undefined,
  signal: AbortSignal,
) {
  for (let at = 0; at < ids.length && !signal.aborted; at += MOST_IDS) {
    const input = { ids: ids.slice(at, at + MOST_IDS), body };
    yield* (await client.call('POST /refused-requests/replay', input)).results;
  }
  if (ids.length > 0) return;
  let left = limit ?? Number.POSITIVE_INFINITY;
  for (let after: string | undefined; left > 0 && !signal.aborted; ) {
    const input = { ...filter, limit: Math.min(MOST_IDS, left), after };
    const { results, next } = await client.call('POST /refused-requests/replay', input);
    yield* results;
    if (next === null) return;
    left -= results.length;
    after = next;
  }
}
