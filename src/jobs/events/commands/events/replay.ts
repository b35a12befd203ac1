// `sluice events replay`: replaces a failed event by a new one with a corrected request.
import type { Command } from 'commander';
import { withOperator } from '../../../../cli/lib/connect/connect.ts';
import { type SessionOptions, withSessionOptions } from '../../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { readText } from '../../../../cli/lib/read-file.ts';
import { printDryRun } from '../../../../cli/lib/terminal/dry-run.ts';
import { printReplays } from '../../../../cli/lib/terminal/replayed.ts';
import { findFault } from '../../../../core/json/json-fault.ts';
import type { OperatorClient } from '../../../../operator/client/client.ts';
import { untilEnded } from './until-ended.ts';

interface Options extends SessionOptions {
  readonly request: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

export function registerReplay(events: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(events.command('replay').argument('<id>', 'id of the failed event'))
    .description(
      'replace a failed event by a new one with a corrected request; a repeated replay makes one event',
    )
    .requiredOption('--request <file>', 'file with the corrected request as JSON, or - for stdin')
    .option('--dry-run', 'only show what the corrected event would result in', false)
    .option('--json', 'print JSON', false)
    .action(async (event: string, options: Options) => {
      const request = toObject(options.request, await readText('--request', options.request));
      await withOperator(options, env, { command: 'sluice events replay' }, async (client, { where }) => {
        if (options.dryRun) return await dryRun(client, event, request, options.json);
        const { result } = await client.call('POST /events/{event}/replay', { event, request });
        const { code, events: made } = await printReplays([result], { json: options.json, none: '' });
        if (where === 'here') await untilEnded(client, made);
        return code;
      });
    });
}

/** @throws CliError (usage) that names the place of the fault */
function toObject(file: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { line, column } = findFault(text);
    throw new CliError(EXIT.usage, `--request ${file} is not JSON: see line ${line}, column ${column}`, {
      cause: error,
    });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new CliError(
    EXIT.usage,
    `--request ${file} must be one JSON object, as \`sluice events show\` shows it`,
  );
}

async function dryRun(
  client: OperatorClient,
  event: string,
  request: Record<string, unknown>,
  json: boolean,
): Promise<number> {
  const { route, code, reason } = await client.call('GET /events/{event}', { event });
  const { now } = await client.call('POST /events/{event}/dry-run', { event, request });
  const then = { outcome: 'refused', code: code ?? '', reason: reason ?? '' } as const;
  return await printDryRun([{ id: event, route, then, now }], { one: 'event', total: 1, json });
}
