// From a fixture or patch to changes of the store: what is given replaces, what is missing keeps its value or
// gets its default.
import { createHash } from 'node:crypto';
import type { AccountPatch, Fixture } from './fixture.ts';
import { AccountFixture, FixtureError, Fixture as FixtureSchema, parseAt } from './fixture.ts';
import { Draft, type Seen } from './fixture-draft.ts';
import { mergeCards, mergeConversations } from './fixture-work.ts';
import {
  type Contact,
  type CustomField,
  type Op,
  type Pipeline,
  SCOPES,
  type Settings,
  type Stage,
} from './model.ts';
import type { Store } from './store.ts';

type Items<K extends keyof AccountPatch> = NonNullable<AccountPatch[K]>;

/** @throws FixtureError with the path of what is wrong; then nothing was changed */
export function parseFixture(value: unknown): Fixture {
  return parseAt(FixtureSchema, value);
}

/** Digest by which a data folder remembers the fixture that made it. */
export function fixtureDigest(fixture: Fixture): string {
  return createHash('sha256').update(JSON.stringify(fixture)).digest('hex');
}

/** All changes that the fixture asks of an empty store. @throws FixtureError */
export function fixtureOps(store: Store, fixture: Fixture, at: number): Op[] {
  const seen: Seen = new Map();
  const ops: Op[] = [];
  for (const [index, account] of (fixture.accounts ?? []).entries()) {
    const root = `accounts[${index}]`;
    const first = seen.get(`account ${account.id}`);
    if (first !== undefined)
      throw new FixtureError(`${root}.id`, `"${account.id}" is repeated, first at ${first}`);
    seen.set(`account ${account.id}`, `${root}.id`);
    for (const op of merge(new Draft(store, account.id, at, seen), account, `${root}.`)) ops.push(op);
  }
  return ops;
}

/** The changes that a PATCH of the panel asks for. @throws FixtureError */
export function patchOps(store: Store, accountId: string, patch: unknown, at: number): Op[] {
  const parsed = parseAt(AccountFixture.partial(), patch);
  if (parsed.id !== undefined && parsed.id !== accountId) {
    throw new FixtureError('id', `this is account "${accountId}"; its id cannot change`);
  }
  return merge(new Draft(store, accountId, at, new Map()), parsed, '');
}

/** Referenced kinds come before those that refer to them. */
function merge(draft: Draft, patch: AccountPatch, root: string): Op[] {
  mergeTokens(draft, patch.tokens ?? [], `${root}tokens`);
  mergeConnections(draft, patch.connections ?? [], `${root}connections`);
  mergeNamed(draft, 'user', patch.users ?? [], `${root}users`);
  mergeNamed(draft, 'source', patch.sources ?? [], `${root}sources`);
  mergeNamed(draft, 'lostReason', patch.lostReasons ?? [], `${root}lostReasons`);
  for (const [i, item] of (patch.tags ?? []).entries()) {
    draft.claim('tag', item.id, `${root}tags[${i}].id`);
    draft.put('tag', { name: `tag ${item.id}`, color: '#808080', ...draft.get('tag', item.id), ...item });
  }
  mergePipelines(draft, patch.pipelines ?? [], `${root}pipelines`);
  for (const [i, item] of (patch.flows ?? []).entries()) {
    draft.claim('flow', item.id, `${root}flows[${i}].id`);
    const defaults = { name: `flow ${item.id}`, active: true, published: true, nodes: 1 };
    draft.put('flow', { ...defaults, ...draft.get('flow', item.id), ...item });
  }
  const settings = mergeSettings(draft, patch, root);
  mergeContacts(draft, patch.contacts ?? [], `${root}contacts`);
  mergeConversations(draft, patch.conversations ?? [], `${root}conversations`, settings);
  mergeCards(draft, patch.cards ?? [], `${root}cards`, settings);
  mergeWebhooks(draft, patch.webhooks ?? [], `${root}webhooks`);
  return draft.ops;
}

function mergeSettings(draft: Draft, patch: AccountPatch, root: string): Settings {
  draft.need('connection', patch.defaultConnectionId, `${root}defaultConnectionId`);
  const old = draft.settings;
  const fields = patch.customFields?.map((field, i): CustomField => {
    const path = `${root}customFields[${i}]`;
    draft.need('pipeline', field.pipelineId, `${path}.pipelineId`);
    draft.once('custom field', `${draft.accountId} ${field.pipelineId ?? ''} ${field.name}`, `${path}.name`);
    return {
      name: field.name,
      type: field.type ?? 'text',
      options: field.options ?? [],
      pipelineId: field.pipelineId ?? null,
    };
  });
  const settings: Settings = {
    defaultConnectionId:
      patch.defaultConnectionId === undefined ? old.defaultConnectionId : patch.defaultConnectionId,
    tagMode: patch.tagMode ?? old.tagMode,
    storageLimitReached: patch.storageLimitReached ?? old.storageLimitReached,
    missingFeatures: patch.missingFeatures ?? old.missingFeatures,
    cardTitlePrefix: patch.cardTitlePrefix ?? old.cardTitlePrefix,
    numbersNotOnNetwork: patch.numbersNotOnNetwork ?? old.numbersNotOnNetwork,
    customFields: fields ?? old.customFields,
  };
  draft.put('settings', settings);
  return settings;
}

function mergeTokens(draft: Draft, items: Items<'tokens'>, path: string): void {
  for (const [i, item] of items.entries()) {
    draft.claim('token', item.value, `${path}[${i}].value`);
    const { expiresAt, ...rest } = item;
    draft.put('token', {
      scopes: SCOPES,
      revoked: false,
      expiresAt: null,
      ...draft.token(item.value),
      ...rest,
      ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : Date.parse(expiresAt) }),
    });
  }
}

function mergeConnections(draft: Draft, items: Items<'connections'>, path: string): void {
  for (const [i, item] of items.entries()) {
    draft.claim('connection', item.id, `${path}[${i}].id`);
    const defaults = {
      name: `connection ${item.id}`,
      channel: 'waba',
      status: 'CONNECTED',
      isDefault: false,
      lastWebhookAt: draft.at,
    };
    draft.put('connection', {
      ...defaults,
      ...draft.get('connection', item.id),
      ...item,
      updatedAt: draft.at,
    });
  }
}

function mergeNamed(
  draft: Draft,
  kind: 'user' | 'source' | 'lostReason',
  items: Items<'users'>,
  path: string,
): void {
  for (const [i, item] of items.entries()) {
    draft.claim(kind, item.id, `${path}[${i}].id`);
    draft.put(kind, { name: `${kind} ${item.id}`, ...draft.get(kind, item.id), ...item });
  }
}

function mergePipelines(draft: Draft, items: Items<'pipelines'>, path: string): void {
  for (const [i, item] of items.entries()) {
    draft.claim('pipeline', item.id, `${path}[${i}].id`);
    const old = draft.get('pipeline', item.id);
    const stages = new Map<number, Stage>((old?.stages ?? []).map((stage) => [stage.id, stage]));
    for (const [j, given] of (item.stages ?? []).entries()) {
      const where = `${path}[${i}].stages[${j}].id`;
      draft.claim('stage', given.id, where);
      const home = draft.stage(given.id)?.pipelineId;
      if (home !== undefined && home !== item.id) {
        throw new FixtureError(where, `stage ${given.id} belongs to pipeline ${home}`);
      }
      const defaults = {
        name: `stage ${given.id}`,
        order: stages.size + 1,
        probability: 0,
        isFinal: false,
        isWon: false,
        requiresSource: false,
      };
      stages.set(given.id, { ...defaults, ...stages.get(given.id), ...given });
    }
    const pipeline: Pipeline = {
      id: item.id,
      name: item.name ?? old?.name ?? `pipeline ${item.id}`,
      stages: [...stages.values()].sort((a, b) => a.order - b.order || a.id - b.id),
    };
    draft.put('pipeline', pipeline);
  }
}

function mergeContacts(draft: Draft, items: Items<'contacts'>, path: string): void {
  // First all claims of ids, then numbers: two contacts may swap theirs in one patch.
  const merged = items.map((item, i): Contact => {
    const where = `${path}[${i}]`;
    draft.claim('contact', item.id, `${where}.id`);
    for (const [j, id] of (item.tagIds ?? []).entries()) draft.need('tag', id, `${where}.tagIds[${j}]`);
    const old = draft.get('contact', item.id);
    const number = item.number ?? old?.number ?? `55119${String(item.id).padStart(8, '0')}`;
    const { extraInfo, tagIds, ...rest } = item;
    const contact: Contact = {
      name: number,
      email: null,
      document: null,
      channel: 'whatsapp',
      disableBot: false,
      tagIds: [],
      extraInfo: [],
      createdAt: draft.at,
      ...old,
      ...rest,
      number,
      ...(tagIds === undefined ? {} : { tagIds: [...new Set(tagIds)] }),
      ...(extraInfo === undefined
        ? {}
        : { extraInfo: extraInfo.flatMap((field) => [field.name, field.value]) }),
      updatedAt: draft.at,
    };
    draft.put('contact', contact);
    return contact;
  });
  for (const [i, contact] of merged.entries())
    draft.claimNumber(contact.number, contact.id, `${path}[${i}].number`);
}

function mergeWebhooks(draft: Draft, items: Items<'webhooks'>, path: string): void {
  for (const [i, item] of items.entries()) {
    const where = `${path}[${i}]`;
    draft.claim('webhook', item.hash, `${where}.hash`);
    draft.need('pipeline', item.pipelineId, `${where}.pipelineId`);
    draft.need('flow', item.flowId, `${where}.flowId`);
    draft.need('connection', item.connectionId, `${where}.connectionId`);
    if (item.stageId !== null && item.stageId !== undefined && draft.stage(item.stageId) === undefined) {
      throw new FixtureError(`${where}.stageId`, `the account has no stage ${item.stageId}`);
    }
    draft.put('webhook', {
      action: 'upsert_contact',
      pipelineId: null,
      stageId: null,
      flowId: null,
      connectionId: null,
      fieldMapping: {},
      authMode: 'none',
      token: null,
      active: true,
      ...draft.webhook(item.hash),
      ...item,
    });
  }
}
