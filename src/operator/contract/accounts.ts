// Endpoints of accounts: what the service offers, with the ids that configurations and commands need.
import { z } from 'zod';
import { Count, endpoint, Name, Time } from '../../core/endpoint.ts';

/** Something with an id and a name. The service shows no name of some lost reasons. */
const Named = z.object({ id: z.int(), name: z.string().nullable() });

/** A list of the account. `error`: why it could not be read; the token may lack the scope. */
function listOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), error: z.string().nullable() });
}

export const AccountLists = z.object({
  account: z.string(),
  readAt: Time,
  /** Calls that this took. */
  calls: Count,
  pipelines: listOf(
    z.object({
      id: z.int(),
      name: z.string(),
      stages: z.array(
        z.object({ id: z.int(), name: z.string(), isFinal: z.boolean(), isWon: z.boolean().nullable() }),
      ),
    }),
  ),
  tags: listOf(Named),
  connections: listOf(
    z.object({
      id: z.int(),
      name: z.string(),
      channel: z.string(),
      status: z.string(),
      isDefault: z.boolean(),
    }),
  ),
  lostReasons: listOf(Named),
  /** The service lists neither users nor sources: these are named in its newest cards and conversations. */
  users: listOf(Named),
  sources: listOf(Named),
  /** The service lists no flows: these are the flows that the configuration triggers. */
  flows: z.array(z.object({ id: z.union([z.int(), z.string()]), usedBy: z.array(z.string()) })),
});
export type AccountLists = z.infer<typeof AccountLists>;

export const ACCOUNTS = {
  'GET /accounts': endpoint({
    role: 'viewer',
    summary: 'List the accounts of the configuration.',
    input: z.strictObject({}),
    output: z.object({
      accounts: z.array(
        z.object({
          account: z.string(),
          baseUrl: z.string(),
          timeZone: z.string(),
          tokens: Count,
          /** Where each token is read from, in the order of the configuration. */
          tokenPlaces: z.array(
            z.object({
              kind: z.enum(['env', 'file', 'command']),
              /** Name of the variable, path of the file, or the program without its arguments. */
              place: z.string(),
            }),
          ),
          callsPerMinute: Count,
        }),
      ),
    }),
  }),
  'POST /accounts/{account}/lists': endpoint({
    role: 'editor',
    summary: 'Read pipelines, tags, connections and other lists of an account; takes up to six API calls.',
    input: z.strictObject({ account: Name }),
    reads: true,
    output: AccountLists,
  }),
} as const;
