// The two kinds of a fixture that lean on most others: conversations with their messages, and cards.
import type { AccountPatch } from './fixture.ts';
import { FixtureError } from './fixture.ts';
import type { Draft } from './fixture-draft.ts';
import type { Card, CardStatus, Conversation, Settings } from './model.ts';

type Items<K extends keyof AccountPatch> = NonNullable<AccountPatch[K]>;

const time = (text: string | null | undefined) =>
  text === undefined ? undefined : text === null ? null : Date.parse(text);

export function mergeConversations(
  draft: Draft,
  items: Items<'conversations'>,
  path: string,
  settings: Settings,
): void {
  for (const [i, item] of items.entries()) {
    const where = `${path}[${i}]`;
    draft.claim('conversation', item.id, `${where}.id`);
    const old = draft.get('conversation', item.id);
    const contactId = required(item.contactId ?? old?.contactId, `${where}.contactId`);
    draft.need('contact', contactId, `${where}.contactId`);
    const connectionId = required(
      item.connectionId ?? old?.connectionId ?? settings.defaultConnectionId,
      `${where}.connectionId`,
    );
    draft.need('connection', connectionId, `${where}.connectionId`);
    const { messages, updatedAt, ...rest } = item;
    const at = time(updatedAt) ?? draft.at;
    const conversation: Conversation = {
      status: 'open',
      chatbot: false,
      userId: null,
      queueId: null,
      createdAt: at,
      ...old,
      ...rest,
      contactId,
      connectionId,
      updatedAt: at,
    };
    draft.put('conversation', conversation);
    for (const [j, message] of (messages ?? []).entries()) {
      const place = `${where}.messages[${j}].id`;
      draft.claim('message', message.id, place);
      const known = draft.message(item.id, message.id);
      draft.put('message', {
        body: '',
        fromMe: false,
        ...known,
        ...message,
        conversationId: item.id,
        at: time(message.at) ?? known?.at ?? draft.at,
      });
    }
  }
}

export function mergeCards(draft: Draft, items: Items<'cards'>, path: string, settings: Settings): void {
  for (const [i, item] of items.entries()) {
    const where = `${path}[${i}]`;
    draft.claim('card', item.id, `${where}.id`);
    const old = draft.get('card', item.id);
    const contactId = required(item.contactId ?? old?.contactId, `${where}.contactId`);
    const contact = draft.get('contact', contactId);
    if (contact === undefined) {
      throw new FixtureError(`${where}.contactId`, `the account has no contact ${contactId}`);
    }
    const pipelineId = required(item.pipelineId ?? old?.pipelineId, `${where}.pipelineId`);
    draft.need('pipeline', pipelineId, `${where}.pipelineId`);
    draft.need('source', item.sourceId, `${where}.sourceId`);
    draft.need('lostReason', item.lostReasonId, `${where}.lostReasonId`);
    const stageId = item.stageId === undefined ? (old?.stageId ?? null) : item.stageId;
    const stage = stageId === null ? undefined : draft.stage(stageId);
    if (stageId !== null && stage?.pipelineId !== pipelineId) {
      throw new FixtureError(`${where}.stageId`, `pipeline ${pipelineId} has no stage ${stageId}`);
    }
    const { createdAt, closedAt, stageEnteredAt, ...rest } = item;
    const created = time(createdAt) ?? old?.createdAt ?? draft.at;
    const entered = time(stageEnteredAt) ?? old?.stageEnteredAt ?? created;
    const final = stage?.stage.isFinal === true;
    const status: CardStatus =
      item.status ?? old?.status ?? (final ? (stage.stage.isWon ? 'won' : 'lost') : 'open');
    const closed = status === 'open' ? null : (old?.closedAt ?? entered);
    const card: Card = {
      title: `${settings.cardTitlePrefix}${contact.name}`,
      value: 0,
      userId: null,
      sourceId: null,
      lostReasonId: null,
      originTicketId: null,
      expectedCloseDate: null,
      customFields: null,
      ...old,
      ...rest,
      contactId,
      pipelineId,
      stageId,
      status,
      createdAt: created,
      closedAt: closedAt === undefined ? closed : (time(closedAt) ?? null),
      stageEnteredAt: entered,
      updatedAt: old === undefined ? created : draft.at,
    };
    draft.put('card', card);
  }
}

function required(id: number | null | undefined, path: string): number {
  if (id === null || id === undefined) throw new FixtureError(path, 'required');
  return id;
}
