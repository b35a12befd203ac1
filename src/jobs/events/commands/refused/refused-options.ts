// Options that the commands for refused requests share, and the requests that they choose.
import type { Command } from 'commander';
import { collect, integer } from '../../../../cli/lib/arguments.ts';
import { checkChoice, type FilterOptions } from '../../../../cli/lib/choice.ts';
import { type SessionOptions, withSessionOptions } from '../../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { WHEN, when } from '../../../../cli/lib/when.ts';
import type { OperatorClient } from '../../../../operator/client/client.ts';
import type { RefusedRequestSummary } from '../../contract/refused-requests.ts';

export interface ListOptions extends SessionOptions, FilterOptions {
  readonly account?: string;
}

export interface ChoiceOptions extends ListOptions {
  readonly yes: boolean;
}

/** Requests of one call that lists, and of one that changes. */
const PAGE = 1000;
export const MOST_IDS = 100;

export function withFilterOptions(command: Command): Command {
  return withSessionOptions(command)
    .option('--account <name>', 'only entries of this account')
    .option('--route <name>', 'only requests to this route')
    .option('--code <code>', 'only requests with this code; repeatable', collect, [])
    .option('--since <when>', `only requests refused since: ${WHEN}`, when)
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1 }));
}

export function withChoiceOptions(command: Command): Command {
  return withFilterOptions(command.argument('[ids...]', 'ids of refused requests')).option(
    '--yes',
    'apply the command to all open requests that match the filters',
    false,
  );
}

/** @param harmless the command changes nothing, or asks. @throws CliError (usage), before anything is opened */
export function checkRequests(ids: readonly string[], options: ChoiceOptions, harmless: boolean): void {
  for (const id of ids) checkId(id);
  checkChoice(ids, options, { harmless, many: 'refused requests', list: 'sluice refused list' });
  if (ids.length > 0 && options.account !== undefined)
    throw new CliError(EXIT.usage, 'name ids, or choose by --account; not both');
}

/** @throws CliError (usage) when it is not an id */
export function checkId(id: string): void {
  if (/^rr_[\w-]{22}$/.test(id)) return;
  throw new CliError(
    EXIT.usage,
    `"${id}" is no id of a refused request: ids begin with rr_, as \`sluice refused list\` prints them`,
  );
}

interface Found {
  readonly requests: readonly RefusedRequestSummary[];
  readonly total: number;
}

/** The filters as the operator API takes them. */
export function filterOf({ account, route, code, since }: ListOptions) {
  return {
    account,
    route,
    codes: code.length === 0 ? undefined : code,
    since: since?.toISOString(),
  };
}

/** The open requests of the filters, newest first, up to the limit. */
async function findRequests(client: OperatorClient, options: ListOptions): Promise<Found> {
  const filter = { ...filterOf(options), resolved: false };
  const { limit = Number.POSITIVE_INFINITY } = options;
  const found: RefusedRequestSummary[] = [];
  for (let before: string | undefined; ; ) {
    const size = Math.min(PAGE, limit - found.length);
    const page = await client.call('GET /refused-requests', { ...filter, limit: size, before });
    found.push(...page.requests);
    if (page.next === null || found.length >= limit) return { requests: found, total: page.total };
    before = page.next;
  }
}

/** Ids of the requests that a command applies to, the oldest first, and how many match. */
export async function chooseRequests(
  client: OperatorClient,
  ids: readonly string[],
  options: ListOptions,
): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
  if (ids.length > 0) return { ids, total: ids.length };
  const { requests, total } = await findRequests(client, options);
  return { ids: requests.map(({ id }) => id).toReversed(), total };
}
