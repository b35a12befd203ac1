// Options that the commands for refused requests share, and the requests that they choose.
import type { Command } from 'commander';
import { integer } from '../../../../cli/lib/arguments.ts';
import { checkChoice } from '../../../../cli/lib/choice.ts';
import { type SessionOptions, withSessionOptions } from '../../../../cli/lib/connect/session.ts';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { readFields, withFields } from '../../../../cli/lib/route/fields.ts';
import { WHEN } from '../../../../cli/lib/when.ts';
import type { OperatorClient } from '../../../../operator/client/client.ts';
import type { Input } from '../../../../operator/contract/index.ts';
import { REFUSED_REQUESTS, type RefusedRequestSummary, RequestId } from '../../contract/refused-requests.ts';

export const FILTER = {
  account: '--account <name>',
  route: '--route <name>',
  codes: ['--code <code>', 'only requests with this code'],
  since: ['--since <when>', `only requests refused since: ${WHEN}`],
} as const;

export interface ChoiceOptions extends SessionOptions {
  readonly limit?: number;
  readonly yes: boolean;
}

/** Filters as the operator API takes them. */
type Filter = Pick<Input<'GET /refused-requests'>, keyof typeof FILTER>;
export interface Choice extends Filter {
  readonly ids?: readonly string[] | undefined;
  /** Maximum number of requests, over all calls. */
  readonly limit?: number | undefined;
}

/** Requests of one call that lists, and of one that changes. */
const PAGE = 1000;
export const MOST_IDS = 100;

const INPUT = REFUSED_REQUESTS['POST /refused-requests/replay'].input;

/** Adds ids, filters and `--yes`. */
export function withChoice(command: Command): Command {
  return withFields(
    withSessionOptions(command.argument('[ids...]', 'ids of refused requests')),
    INPUT,
    FILTER,
  )
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1 }))
    .option('--yes', 'apply the command to all open requests that match the filters', false);
}

/** @param harmless the command changes nothing, or asks. @throws CliError (usage), before anything is opened */
export function choiceOf(named: readonly string[], options: ChoiceOptions, harmless: boolean): Choice {
  const ids = named.length === 0 ? undefined : named.map(checkId);
  const choice: Choice = { ...readFields({ ...options }, INPUT, FILTER), ids, limit: options.limit };
  checkChoice(choice, options.yes, { harmless, many: 'refused requests', list: 'sluice refused list' });
  if (ids !== undefined && choice.account !== undefined)
    throw new CliError(EXIT.usage, 'name ids, or choose by --account; not both');
  return choice;
}

/** @throws CliError (usage) when it is not an id */
export function checkId(id: string): string {
  if (RequestId.safeParse(id).success) return id;
  throw new CliError(
    EXIT.usage,
    `"${id}" is no id of a refused request: ids begin with rr_, as \`sluice refused list\` prints them`,
  );
}

/** Ids of the requests that a command applies to, the oldest first, and how many match. */
export async function chooseRequests(
  client: OperatorClient,
  { ids, limit = Number.POSITIVE_INFINITY, ...filter }: Choice,
): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
  if (ids !== undefined) return { ids, total: ids.length };
  const found: RefusedRequestSummary[] = [];
  for (let before: string | undefined; ; ) {
    const size = Math.min(PAGE, limit - found.length);
    const page = await client.call('GET /refused-requests', { ...filter, limit: size, before });
    found.push(...page.requests);
    if (page.next === null || found.length >= limit)
      return { ids: found.map(({ id }) => id).toReversed(), total: page.total };
    before = page.next;
  }
}
