// Checks that a token exists, that the service accepts it, and what it may read. Reads can't check write scopes.

import type { LoadedConfig } from '../../config/load.ts';
import { SecretError } from '../../core/config/errors.ts';
import type { FindingSentence } from '../../operator/contract/doctor-sentences.ts';
import {
  ApiError,
  type Connection,
  type Conversation,
  InvalidArgumentError,
  type Listing,
  type MessagingClient,
  type Page,
  type Pipeline,
  type Tag,
  UnexpectedShapeError,
} from '../../service/api-client/index.ts';
import type { Findings } from './findings.ts';
import { type Probe, type Probed, reasonOf } from './probe.ts';
import { quote, say } from './say.ts';

/** Results of the reads with one token. */
export interface TokenReads {
  readonly pipelines: Probed<Listing<Pipeline>>;
  readonly tags: Probed<Listing<Tag>>;
  readonly connections: Probed<Listing<Connection>>;
  readonly conversations: Probed<Page<Conversation>>;
}

const ID_OF_NO_MESSAGE = 'sluice-doctor';

/** The token of a reference; null when it can't be resolved. */
export async function resolveToken(
  config: LoadedConfig,
  ref: string,
  findings: Findings,
): Promise<string | null> {
  try {
    const { value, warnings } = await config.secret(ref);
    for (const warning of warnings) findings.warning('token', quote('CHECK_SECRET_OPEN', warning));
    return value;
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    findings.problem('token', quote('CHECK_SECRET', error.message), { cause: 'auth' });
    return null;
  }
}

/** Makes four reads, one per resource; only one when the token is refused. Null when it is refused. */
export async function checkToken(
  ref: string,
  open: () => MessagingClient,
  probe: Probe,
  findings: Findings,
): Promise<TokenReads | null> {
  let client: MessagingClient;
  try {
    client = open();
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    findings.problem('token', say('CHECK_TOKEN_CHARACTER', { ref }), { cause: 'auth' });
    return null;
  }
  const pipelines = await probe(() => client.pipelines.list());
  if (pipelines.error instanceof ApiError && pipelines.error.status === 401) {
    const { code } = pipelines.error;
    const refusal = REFUSALS[code ?? ''] ?? 'CHECK_TOKEN_REFUSED';
    findings.problem('token', say(refusal, { ref, error: code ?? '401' }), { cause: 'auth' });
    return null;
  }
  const [tags, connections, conversations] = [
    await probe(() => client.tags.list()),
    await probe(() => client.connections.list()),
    await probe(() => client.conversations.list({ pageSize: 1 })),
  ];
  const reads = { pipelines, tags, connections, conversations };
  // None of these lists has its own not-found: the API exists, but not at this path.
  if (Object.values(reads).every(({ error }) => error instanceof ApiError && error.status === 404)) {
    findings.problem('baseUrl', say('CHECK_URL_PATH'), { cause: 'unreachable' });
    return null;
  }
  const known = Object.values(reads).some(({ error }) => reported(error));
  if (known) findings.ok('token', say('CHECK_TOKEN', { ref }));
  else
    findings.problem('token', say('CHECK_TOKEN_UNCLEAR', { ref }), {
      hint: reasonOf(pipelines.error!),
      cause: 'unreachable',
    });
  return reads;
}

/** Whether the answer proves that the token was accepted. */
function reported(error: Probed<unknown>['error']): boolean {
  if (error instanceof ApiError) return error.kind !== 'internal';
  return error === null || error instanceof UnexpectedShapeError;
}

const REFUSALS: Readonly<Record<string, FindingSentence>> = {
  ERR_TOKEN_INVALID: 'CHECK_TOKEN_UNKNOWN',
  ERR_TOKEN_REVOKED: 'CHECK_TOKEN_REVOKED',
  ERR_TOKEN_EXPIRED: 'CHECK_TOKEN_EXPIRED',
  ERR_TOKEN_MISSING: 'CHECK_TOKEN_LOST',
};

/**
 * Reports what the token may read. `needed` are scopes that a sync or poller of the configuration needs.
 * @param messages a read under messages:read; null: reads a message that does not exist
 */
export async function checkScopes(
  ref: string,
  reads: TokenReads,
  needed: ReadonlySet<string>,
  messages: Probed<unknown> | null,
  ask: { readonly client: MessagingClient; readonly probe: Probe },
  findings: Findings,
): Promise<void> {
  const history = messages ?? (await ask.probe(() => ask.client.messages.status(ID_OF_NO_MESSAGE)));
  const seen: readonly (readonly [scope: string, probed: Probed<unknown>])[] = [
    ['contacts:read', reads.tags],
    ['cards:read', reads.pipelines],
    ['connections:read', reads.connections],
    ['conversations:read', reads.conversations],
    ['messages:read', history],
  ];
  const granted: string[] = [];
  for (const [scope, { error }] of seen) {
    if (isGranted(error)) granted.push(scope);
    else if (error instanceof ApiError && error.code === 'ERR_SCOPE_MISSING') {
      lacking(ref, error.requiredScope ?? scope, needed, findings);
    } else if (error !== null) findings.warning(`scope ${scope} of ${ref}`, reasonOf(error));
  }
  if (granted.length > 0) findings.ok('scope', say('CHECK_SCOPES', { ref, scopes: granted }));
  const scopes = ['contacts:write', 'cards:write', 'messages:send', 'flows:trigger'];
  findings.unchecked('scope', say('CHECK_SCOPE_WRITES', { ref, scopes }));
}

function lacking(ref: string, scope: string, needed: ReadonlySet<string>, findings: Findings): void {
  if (needed.has(scope)) {
    findings.problem('scope', say('CHECK_SCOPE_NEEDED', { ref, scope }), { cause: 'auth' });
  } else findings.ok('scope', say('CHECK_SCOPE_UNUSED', { ref, scope }));
}

/** True for an answer in an unexpected shape, and for "no such message": the service accepted the token. */
function isGranted(error: Probed<unknown>['error']): boolean {
  if (error === null) return true;
  if (error instanceof ApiError)
    return error.code === 'ERR_MESSAGE_NOT_FOUND' || error.code === 'ERR_NO_TICKET_FOUND';
  return error instanceof UnexpectedShapeError;
}
