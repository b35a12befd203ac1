// Checks one account with at most fifteen reads by its first token and five by each further one.

import type { LoadedConfig } from '../../config/load.ts';
import {
  type AssumptionOverrides,
  type Listing,
  type MessagingClient,
  resolveAssumptions,
  UnexpectedShapeError,
} from '../../service/api-client/index.ts';
import type { ReadWrapperKey } from '../../service/api-client/readers.ts';
import {
  judgeEnvelope,
  judgeMessages,
  judgeWrapper,
  openHistory,
  reportUnreadable,
  reportVerdicts,
  type Verdict,
} from './assume.ts';
import { type Campaigns, checkCampaigns, readScopes } from './campaigns.ts';
import { Findings, type Group } from './findings.ts';
import { checkClock, checkConnections, checkRate } from './instance.ts';
import { checkNames } from './names.ts';
import { createProbe, type Probe, type Probed, reasonOf } from './probe.ts';
import { checkReach } from './reach.ts';
import { type Said, say } from './say.ts';
import { checkScopes, checkToken, resolveToken, type TokenReads } from './tokens.ts';
import { openWire, type Wire } from './wire.ts';

export interface AccountOptions {
  readonly config: LoadedConfig;
  readonly account: string;
  /** Milliseconds for one call. */
  readonly deadlineMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Checks one account; makes GET calls only. */
export async function checkAccount(options: AccountOptions): Promise<Group> {
  const { config, account } = options;
  const { baseUrl, tokens, callsPerMinute, assumptions } = config.config.accounts[account]!;
  const findings = new Findings();
  const group = { of: 'account', account } as const;
  if (!isPlain(baseUrl)) {
    findings.problem('baseUrl', say('CHECK_URL_PARTS'));
    return { ...group, findings: findings.list };
  }
  const wire = openWire({ ...options, baseUrl, assumptions });
  try {
    if (await checkReach(wire, baseUrl, findings)) {
      const needed = neededScopes(config, account);
      const checked = new Set<string>();
      for (const [index, ref] of tokens.entries()) {
        if (checked.has(ref)) continue;
        checked.add(ref);
        await checkOneToken(options, wire, { ref, first: index === 0, needed, callsPerMinute }, findings);
      }
    }
  } finally {
    await wire.close();
  }
  return { ...group, findings: findings.list, calls: wire.calls };
}

async function checkOneToken(
  { config, account }: AccountOptions,
  wire: Wire,
  token: { ref: string; first: boolean; needed: ReadonlySet<string>; callsPerMinute: number },
  findings: Findings,
): Promise<void> {
  const { ref, first, needed } = token;
  const value = await resolveToken(config, ref, findings);
  if (value === null) return;
  const probe = createProbe(wire);
  const reads = await checkToken(ref, () => wire.client(value), probe, findings);
  if (reads === null) return;
  const client = wire.client(value);
  if (!first) {
    await checkScopes(ref, reads, needed, null, { client, probe }, findings);
    return;
  }
  const { assumptions: overrides } = config.config.accounts[account]!;
  const messages = await readHistory(client, probe, reads);
  await checkScopes(ref, reads, needed, messages?.history ?? null, { client, probe }, findings);
  const all = Object.values(reads);
  checkRate(
    all.map(({ rate }) => rate).find((rate) => rate !== null) ?? null,
    token.callsPerMinute,
    findings,
  );
  checkClock(all.map(({ seen }) => seen).find((seen) => seen !== null) ?? null, findings);
  const syncs = Object.values(config.config.syncs).filter((sync) => sync.account === account);
  checkConnections(
    reads.connections,
    syncs.some(({ validateNumber }) => validateNumber),
    findings,
  );
  const cards = await readCards(client, probe);
  const names = {
    pipelines: wholeOf(reads.pipelines),
    tags: wholeOf(reads.tags),
    cards: wholeOf(cards.list),
  };
  for (const name of mappingsOf(config, account)) {
    checkNames(name, config.config.mappings[name]!, names, findings);
  }
  const { connections, tags, pipelines } = reads;
  checkCampaigns(
    account,
    campaignsOf(config, account),
    config.config.accounts[account]!.optOut,
    { connections: connections.data, tags: tags.data, pipelines: pipelines.data },
    findings,
  );
  const contacts = await probe(() => client.contacts.list({ pageSize: 100 }));
  const contact = contacts.data?.items[0];
  const details = contact === undefined ? null : await probe(() => client.contacts.get(contact.id));
  const verdicts = judge(overrides, reads, cards, messages);
  reportVerdicts(account, verdicts, findings);
  const judged = new Set(verdicts.filter((verdict) => verdict.is === 'refuted').map(({ key }) => key));
  const made: Readonly<Record<string, Probed<unknown> | null>> = {
    'GET /v1/tags': reads.tags,
    'GET /v1/pipelines': reads.pipelines,
    'GET /v1/connections': reads.connections,
    'GET /v1/conversations': reads.conversations,
    'GET /v1/contacts': contacts,
    'GET /v1/contacts/{contactId}': details,
    'GET /v1/cards': cards.list,
    'GET /v1/cards/{cardId}': cards.one,
    'GET /v1/lost-reasons': cards.lostReasons,
    'GET /v1/conversations/{ticketId}/messages': messages?.history ?? null,
  };
  for (const [name, probed] of Object.entries(made)) {
    if (probed !== null) reportUnreadable(account, name, probed, judged, findings);
  }
}

/** If an item of a list is unreadable, nothing is concluded from what the list lacks. */
function wholeOf<T>({ data }: Probed<Listing<T>>): readonly T[] | null {
  return data === null || data.invalid.length > 0 ? null : data.items;
}

function campaignsOf({ config }: LoadedConfig, account: string): Campaigns {
  const mine = Object.entries(config.campaigns).filter(([, campaign]) => campaign.account === account);
  return Object.fromEntries(mine);
}

/** Reads that a sync, a campaign or a lead of the configuration needs. */
function neededScopes(config: LoadedConfig, account: string): Set<string> {
  const used = [...mappingsOf(config, account)];
  const needed = new Set<string>(readScopes(campaignsOf(config, account)));
  if (used.length > 0) needed.add('contacts:read');
  if (used.some((mapping) => config.config.mappings[mapping]?.card !== undefined)) needed.add('cards:read');
  if (Object.values(config.config.pollers).some((poller) => poller.account === account))
    for (const scope of ['conversations:read', 'messages:read']) needed.add(scope);
  return needed;
}

/** Mappings of the account: those of its syncs, and of its routes that make leads. */
function mappingsOf({ config }: LoadedConfig, account: string): Set<string> {
  const mine = <T extends { readonly account: string }>(entries: Readonly<Record<string, T>>) =>
    Object.values(entries).filter((entry) => entry.account === account);
  return new Set([
    ...mine(config.syncs).map(({ mapping }) => mapping),
    ...mine(config.routes).flatMap(({ action }) => (action.type === 'lead' ? [action.mapping] : [])),
  ]);
}

interface CardReads {
  readonly list: Awaited<ReturnType<typeof readCardList>>;
  readonly one: Probed<unknown> | null;
  readonly lostReasons: Probed<unknown>;
  readonly searched: Probed<{ count: number }> | null;
  readonly sorted: readonly [Probed<{ items: { id: number }[] }>, Probed<{ items: { id: number }[] }>] | null;
}

const readCardList = (client: MessagingClient, probe: Probe) =>
  probe(() => client.cards.list({ pageSize: 100 }));
/** A title that no card has. */
const NO_TITLE = 'sluice doctor searches for no card';

async function readCards(client: MessagingClient, probe: Probe): Promise<CardReads> {
  const list = await readCardList(client, probe);
  const lostReasons = await probe(() => client.lostReasons.list());
  const first = list.data?.items[0];
  const count = list.data?.count ?? 0;
  const sorted = (sortDirection: 'asc' | 'desc') => () =>
    client.cards.list({ pageSize: 1, sortBy: 'createdAt', sortDirection });
  return {
    list,
    lostReasons,
    one: first === undefined ? null : await probe(() => client.cards.get(first.id)),
    searched: count === 0 ? null : await probe(() => client.cards.list({ pageSize: 1, title: NO_TITLE })),
    sorted: count < 2 ? null : [await probe(sorted('asc')), await probe(sorted('desc'))],
  };
}

interface MessageReads {
  readonly history: Probed<unknown>;
  readonly status: Probed<unknown> | null;
}

/** The newest conversation's messages, and the status of one; null when no conversation is visible. */
async function readHistory(
  client: MessagingClient,
  probe: Probe,
  reads: TokenReads,
): Promise<MessageReads | null> {
  const newest = reads.conversations.data?.items[0];
  if (newest === undefined) return null;
  const history = await probe(() => client.conversations.messages(newest.id, { pageSize: 50 }));
  const id = history.data?.items.find((message) => message.id !== null)?.id ?? null;
  // An id that can't be part of a path is refused before the call.
  const usable = id !== null && /^[A-Za-z0-9._~:=+@-]{1,512}$/.test(id) && !/^\.{1,2}$/.test(id);
  return { history, status: usable ? await probe(() => client.messages.status(id)) : null };
}

function judge(
  overrides: AssumptionOverrides,
  reads: TokenReads,
  cards: CardReads,
  messages: MessageReads | null,
): Verdict[] {
  const assumed = resolveAssumptions(overrides);
  const wrapper = (
    key: ReadWrapperKey,
    probed: Probed<unknown> | null,
    none: Said = say('CHECK_NO_ANSWER'),
  ): Verdict => {
    if (probed === null) return { key, is: 'open', said: none };
    const { seen, error } = probed;
    if (error !== null && !(error instanceof UnexpectedShapeError))
      return { key, is: 'open', said: reasonOf(error) };
    return seen === null ? { key, is: 'open', said: none } : judgeWrapper(key, overrides, seen.json);
  };
  const all: readonly Probed<unknown>[] = Object.values(reads);
  return [
    judgeEnvelope(
      assumed,
      all.some(({ data }) => data !== null),
    ),
    wrapper('wrapper.tags', reads.tags),
    wrapper('wrapper.pipelines', reads.pipelines),
    wrapper('wrapper.lostReasons', cards.lostReasons),
    wrapper('wrapper.card', cards.one, say('CHECK_NO_CARD')),
    wrapper('wrapper.messageStatus', messages?.status ?? null, say('CHECK_NO_MESSAGE')),
    ...judgeRead(overrides, messages),
    judgeSearch(assumed['cards.titleSearchParam'], cards),
    judgeSort(assumed['cards.sortDirectionParam'], cards),
  ];
}

function judgeRead(overrides: AssumptionOverrides, messages: MessageReads | null): Verdict[] {
  if (messages === null) return openHistory(say('CHECK_NO_CONVERSATION'));
  const { error, seen } = messages.history;
  if (error !== null && !(error instanceof UnexpectedShapeError)) return openHistory(reasonOf(error));
  return judgeMessages(overrides, seen?.json);
}

function judgeSearch(name: string, { searched, list }: CardReads): Verdict {
  const key = 'cards.titleSearchParam';
  if (searched?.data == null || list.data === null)
    return { key, is: 'open', said: say('CHECK_NO_CARD_SEARCH') };
  if (searched.data.count === 0) return { key, is: 'confirmed', said: say('CHECK_SEARCH', { name }) };
  return {
    key,
    is: 'refuted',
    said: say('CHECK_SEARCH_IGNORED', { name, found: searched.data.count }),
    value: null,
  };
}

function judgeSort(name: string, { sorted, list }: CardReads): Verdict {
  const key = 'cards.sortDirectionParam';
  const [up, down] = sorted ?? [];
  if (up?.data == null || down?.data == null) return { key, is: 'open', said: say('CHECK_SORT_CARDS') };
  // Cards with the same time have no fixed order.
  if (new Set(list.data?.items.map(({ createdAt }) => createdAt)).size < 2)
    return { key, is: 'open', said: say('CHECK_SORT_TIMES') };
  if (up.data.items[0]?.id !== down.data.items[0]?.id)
    return { key, is: 'confirmed', said: say('CHECK_SORT', { name }) };
  return {
    key,
    is: 'refuted',
    said: say('CHECK_SORT_IGNORED', { name }),
    value: null,
  };
}

function isPlain(baseUrl: string): boolean {
  const { username, password, search, hash } = new URL(baseUrl);
  return username === '' && password === '' && search === '' && hash === '';
}
