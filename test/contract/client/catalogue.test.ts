// The walk of the error catalogue: every code of the API text provoked over HTTP, and met as its typed error.
import { Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Problem, type ErrorCode as SandboxCode } from '../../../src/sandbox/http/errors.ts';
import {
  ApiError,
  isAmbiguous,
  KNOWN_ERROR_CODES,
  type KnownErrorCode,
} from '../../../src/service/api-client/index.ts';
import { aChatAccount, type Context, openContext } from './context.ts';

let context: Context;
beforeEach(async () => {
  context = await openContext(aChatAccount());
});
afterEach(() => context.close());

interface Case {
  readonly how: string;
  /** Makes the call that is refused. */
  readonly call: (context: Context) => Promise<unknown>;
  /** Parts of the account that differ. */
  readonly account?: Record<string, unknown>;
  readonly status: number;
  /** Extras beside the code; those not named here are null. */
  readonly extras?: Partial<Pick<ApiError, 'requiredScope' | 'ticketId' | 'param'>>;
  /** What the body shows instead of the code. */
  readonly codeless?: true;
}

const send = (over: object = {}) => ({
  call: ({ client }: Context) => client.messages.send({ ...MESSAGE, ...over }),
});
const trigger = (over: object = {}) => ({
  call: ({ client }: Context) => client.flows.trigger({ ...FLOW, ...over }),
});
const createCard = (over: object = {}) => ({
  call: ({ client }: Context) => client.cards.create({ ...CARD, ...over }),
});
const withToken = (token: string) => ({
  call: (context: Context) => context.clientWith({ token }).tags.list(),
});

const MESSAGE = { number: '5511987654321', body: 'x' };
const FLOW = { flowId: 1, whatsappId: 1, contact: { id: 1 } };
const CARD = { contactId: 1, pipelineId: 1, stageId: 11 };
const MEDIA = { filename: 'a', contentType: 'a/b', data: new Uint8Array([1]) };
const UNSET = undefined as never;

/** A code that no endpoint is known to raise: the sandbox is asked to answer it. */
async function reported(context: Context, code: string): Promise<unknown> {
  await context.fault({
    path: '/v1/contacts',
    kind: 'status',
    status: 400,
    body: { error: code, code },
    times: 1,
  });
  return context.client.contacts.upsert({ number: '5511987654321' });
}

/** A proxy on the way that drops the header: the client itself never leaves it out. */
async function withoutHeader(context: Context): Promise<unknown> {
  const pool = new Pool(new URL(context.sandbox.baseUrl).origin).compose((dispatch) => (options, handler) => {
    const { authorization: _dropped, ...headers } = options.headers as Record<string, string>;
    return dispatch({ ...options, headers }, handler);
  });
  try {
    return await context.clientWith({ dispatcher: pool }).tags.list();
  } finally {
    await pool.close();
  }
}

/** Written out, not derived: each line of the catalogue of the API text. */
const CATALOGUE: Record<KnownErrorCode, Case[]> = {
  ERR_TOKEN_MISSING: [{ how: 'a header lost on the way', call: withoutHeader, status: 401 }],
  ERR_TOKEN_INVALID: [{ how: 'an unknown token', ...withToken('svc_test_nobody'), status: 401 }],
  ERR_TOKEN_REVOKED: [{ how: 'a revoked token', ...withToken('svc_test_revoked'), status: 401 }],
  ERR_TOKEN_EXPIRED: [{ how: 'an expired token', ...withToken('svc_test_expired'), status: 401 }],
  ERR_SCOPE_MISSING: [
    {
      how: 'a token that may only read contacts, used to send',
      call: (context) => context.clientWith({ token: 'svc_test_read' }).messages.send(MESSAGE),
      status: 403,
      extras: { requiredScope: 'messages:send' },
    },
  ],
  ERR_RATE_LIMITED: [
    {
      how: 'one call over the limit',
      status: 429,
      call: async () => {
        const limited = await openContext(aChatAccount(), { rate: 1 });
        try {
          await limited.client.tags.list();
          return await limited.client.tags.list();
        } finally {
          await limited.close();
        }
      },
    },
  ],
  ERR_MISSING_CONTENT: [
    { how: 'nothing to send', ...send({ body: UNSET }), status: 400 },
    { how: 'an empty reply', call: ({ client }) => client.conversations.reply(1, {}), status: 400 },
    { how: 'an empty list of files', ...send({ body: UNSET, medias: [] }), status: 400 },
  ],
  ERR_NUMBER_REQUIRED: [{ how: 'a send to nobody', ...send({ number: UNSET }), status: 400 }],
  ERR_NUMBER_INVALID: [{ how: 'a number without digits', ...send({ number: 'abc' }), status: 400 }],
  ERR_CONNECTION_NOT_FOUND: [
    { how: 'a foreign connection', ...send({ whatsappId: 99 }), status: 404 },
    { how: 'a connection of no such name', ...send({ whatsappName: 'nobody' }), status: 404 },
    { how: 'the same with a file', ...send({ whatsappId: 99, medias: [MEDIA] }), status: 404 },
  ],
  ERR_NO_CONNECTION_AVAILABLE: [
    {
      how: 'an account without a usable connection',
      ...send(),
      account: {
        defaultConnectionId: null,
        connections: [{ id: 3, channel: 'facebook', status: 'CONNECTED' }],
        conversations: [],
      },
      status: 404,
    },
  ],
  ERR_UNSUPPORTED_CHANNEL: [
    { how: 'a send over another channel', ...send({ whatsappId: 3 }), status: 400 },
    { how: 'a flow over another channel', ...trigger({ whatsappId: 3 }), status: 422 },
  ],
  ERR_NO_TICKET_FOUND: [
    { how: 'the history of none', call: ({ client }) => client.conversations.messages(999), status: 404 },
    {
      how: 'a reply to none',
      call: ({ client }) => client.conversations.reply(999, { body: 'x' }),
      status: 404,
    },
  ],
  ERR_MESSAGE_NOT_FOUND: [
    { how: 'an unknown message', call: ({ client }) => client.messages.status('wamid.none'), status: 404 },
  ],
  ERR_MISSING_NUMBER: [
    {
      how: 'an upsert of nobody',
      call: ({ client }) => client.contacts.upsert({ number: UNSET }),
      status: 400,
    },
  ],
  ERR_NUMBER_NOT_ON_WHATSAPP: [
    {
      how: 'a number off the network',
      call: ({ client }) => client.contacts.upsert({ number: '5511900000000', validateNumber: true }),
      status: 422,
    },
  ],
  ERR_WHATSAPP_NOT_FOUND: [
    {
      how: 'validation over a foreign connection',
      call: ({ client }) =>
        client.contacts.upsert({ number: '5511900000001', validateNumber: true, whatsappId: 99 }),
      status: 404,
    },
  ],
  ERR_NO_CONTACT_FOUND: [
    { how: 'reading one', call: ({ client }) => client.contacts.get(999), status: 404 },
    { how: 'changing one', call: ({ client }) => client.contacts.update(999, { name: 'x' }), status: 404 },
    { how: 'tagging one', call: ({ client }) => client.contacts.setTags(999, []), status: 404 },
  ],
  ERR_NUMBER_IMMUTABLE: [
    {
      how: 'an assumption that calls some input "number"',
      call: (context) => {
        const client = context.clientWith({ assumptions: { 'contactUpdate.nameField': 'number' } });
        return client.contacts.update(1, { name: '5511900000009' });
      },
      status: 400,
    },
  ],
  ERR_INVALID_TAG_IDS: [
    { how: 'no list', call: ({ client }) => client.contacts.setTags(1, UNSET), status: 400 },
  ],
  ERR_INVALID_TAGMODE: [
    {
      how: 'an account that tags conversations',
      call: ({ client }) => client.contacts.setTags(1, [1]),
      account: { tagMode: 'conversations' },
      status: 400,
    },
  ],
  ERR_INVALID_DATE_FILTER: [
    {
      // The client's own date filters can not be sent without an offset.
      how: 'an assumption that calls the title search "closedAtAfter"',
      call: (context) => {
        const client = context.clientWith({ assumptions: { 'cards.titleSearchParam': 'closedAtAfter' } });
        return client.cards.list({ title: '2026-11-20' });
      },
      status: 400,
      extras: { param: 'closedAtAfter' },
    },
  ],
  ERR_NO_CARD_FOUND: [
    { how: 'reading one', call: ({ client }) => client.cards.get(999), status: 404 },
    { how: 'moving one', call: ({ client }) => client.cards.move(999, 11), status: 404 },
  ],
  ERR_CONTACT_IDENTIFIER_REQUIRED: [
    { how: 'neither contact nor phone', ...createCard({ contactId: UNSET }), status: 400 },
    { how: 'both', ...createCard({ phone: '5511987654321' }), status: 400 },
  ],
  ERR_PIPELINE_NOT_FOUND: [{ how: 'a foreign pipeline', ...createCard({ pipelineId: 99 }), status: 404 }],
  ERR_STAGE_REQUIRED: [{ how: 'a move to nowhere', ...move(UNSET), status: 400 }],
  ERR_STAGE_NOT_FOUND: [{ how: 'a move to a foreign stage', ...move(999), status: 404 }],
  ERR_STAGE_NOT_IN_PIPELINE: [
    { how: 'a move into another pipeline', ...move(21), status: 422 },
    { how: 'a card in a stage of another pipeline', ...createCard({ stageId: 21 }), status: 422 },
  ],
  ERR_SOURCE_NOT_FOUND: [{ how: 'a foreign source', ...createCard({ sourceId: 99 }), status: 404 }],
  ERR_SOURCE_REQUIRED_FOR_STAGE: [
    {
      how: 'a stage that wants to know the source',
      ...createCard(),
      account: { pipelines: [{ id: 1, name: 'P', stages: [{ id: 11, name: 'S', requiresSource: true }] }] },
      status: 400,
    },
  ],
  ERR_FLOW_ID_AND_WHATSAPP_ID_REQUIRED: [
    { how: 'no flow', ...trigger({ flowId: UNSET }), status: 400 },
    { how: 'no connection', ...trigger({ whatsappId: UNSET }), status: 400 },
  ],
  ERR_VARIABLES_MUST_BE_OBJECT: [
    { how: 'a list', ...trigger({ variables: [] as never }), status: 400 },
    { how: 'text', ...trigger({ variables: 'x' as never }), status: 400 },
  ],
  ERR_FLOW_NOT_FOUND: [{ how: 'a foreign flow', ...trigger({ flowId: 99 }), status: 404 }],
  ERR_FLOW_NOT_EXECUTABLE: [{ how: 'an unpublished flow', ...trigger({ flowId: 2 }), status: 422 }],
  ERR_TICKET_IN_HUMAN_SERVICE: [
    {
      how: 'a contact that Ana serves',
      ...trigger({ contact: { id: 3 } }),
      status: 409,
      extras: { ticketId: 3 },
    },
  ],
  ERR_FEATURE_NOT_AVAILABLE: [
    {
      how: 'a plan without flows: no code in the body today',
      ...trigger(),
      account: { missingFeatures: ['flows'] },
      status: 403,
      codeless: true,
    },
  ],
  ERR_STORAGE_LIMIT_REACHED: [
    {
      how: 'a file when the storage is full: no code in the body today',
      ...send({ medias: [MEDIA] }),
      account: { storageLimitReached: true },
      status: 403,
      codeless: true,
    },
  ],
  ERR_DUPLICATED_CONTACT: [
    {
      how: 'asked to the sandbox, as the API text does not show which endpoint raises it',
      call: (context) => reported(context, 'ERR_DUPLICATED_CONTACT'),
      status: 400,
    },
  ],
  ERR_CONTACT_NUMBER_IS_LID: [
    {
      how: 'asked to the sandbox, as the API text does not show which endpoint raises it',
      call: (context) => reported(context, 'ERR_CONTACT_NUMBER_IS_LID'),
      status: 400,
    },
  ],
};

function move(stageId: number): Pick<Case, 'call'> {
  return {
    call: async ({ client }) => {
      const { data } = await client.cards.create(CARD);
      return client.cards.move(data.id as number, stageId);
    },
  };
}

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

const codes = Object.keys(CATALOGUE) as KnownErrorCode[];
const rows = codes.flatMap((code) => CATALOGUE[code].map((each) => [code, each.how, each] as const));

describe('every code of the catalogue', () => {
  it.each(rows)('%s: %s', async (code, _how, { call, account, status, extras = {}, codeless }) => {
    const here = account === undefined ? context : await openContext(aChatAccount(account));
    try {
      const error = await refusal(call(here));
      const nothing = { requiredScope: null, ticketId: null, param: null };
      expect(error).toMatchObject({ status, ...nothing, ...extras });
      expect([error.code, error.kind]).toEqual(codeless ? [null, 'forbidden'] : [code, 'coded']);
      expect(error.retryAfterMs === null).toBe(status !== 429);
      expect(isAmbiguous(error)).toBe(false);
    } finally {
      if (here !== context) await here.close();
    }
  });

  it.each<KnownErrorCode>(['ERR_FEATURE_NOT_AVAILABLE', 'ERR_STORAGE_LIMIT_REACHED'])(
    '%s with the code in the body, should the service show it one day',
    async (code) => {
      await context.fault({ path: '/v1/tags', kind: 'status', status: 403, body: { error: code, code } });
      expect(await refusal(context.client.tags.list())).toMatchObject({ status: 403, code, kind: 'coded' });
    },
  );

  it('an internal error has no code and is the only kind that is ambiguous', async () => {
    await context.fault({ path: '/v1/tags', kind: 'status', status: 500, body: { error: 'Internal' } });
    const error = await refusal(context.client.tags.list());
    expect(error).toMatchObject({ status: 500, code: null, kind: 'internal' });
    expect(isAmbiguous(error)).toBe(true);
  });
});

/** Codes that the sandbox adds where the text shows none. A new code of the text there is an error of types here. */
type Added = Exclude<SandboxCode, KnownErrorCode>;
const sandboxKnowsEvery: readonly SandboxCode[] = KNOWN_ERROR_CODES;
const added: Record<Added, true> = {
  ERR_INVALID_JSON: true,
  ERR_INVALID_BODY: true,
  ERR_BAD_REQUEST: true,
  ERR_BODY_TOO_LARGE: true,
  ERR_UNSUPPORTED_ENCODING: true,
  ERR_ROUTE_NOT_FOUND: true,
  ERR_INVALID_MULTIPART: true,
  ERR_WEBHOOK_NOT_FOUND: true,
  ERR_WEBHOOK_TOKEN_INVALID: true,
};

describe('the list', () => {
  it('is the one of the client', () => {
    expect(codes.toSorted()).toEqual([...KNOWN_ERROR_CODES].toSorted());
    expect(codes).toHaveLength(39);
  });

  it('is the one of the sandbox, with the same status codes', () => {
    expect(sandboxKnowsEvery.filter((code) => Object.hasOwn(added, code))).toEqual([]);
    const statuses = codes.map((code) => [code, CATALOGUE[code][0]?.status]);
    const theirs = sandboxKnowsEvery.map((code) => [code, new Problem(code).status]);
    expect(Object.fromEntries(theirs)).toEqual(Object.fromEntries(statuses));
  });

  it('leaves none out', () => {
    expect(codes.filter((code) => CATALOGUE[code].length === 0)).toEqual([]);
  });
});
