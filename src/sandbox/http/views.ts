// Records as answers show them: the field tables of the API text, in their order.

import type { z } from 'zod';
import type { Choices } from '../choices.ts';
import { extraFields } from '../fixture/fixture-view.ts';
import type * as wire from '../openapi/wire.ts';
import type { Account } from '../state/account.ts';
import type { Card, Connection, Contact, Pipeline, Tag } from '../state/model.ts';

const iso = (at: number) => new Date(at).toISOString();

const tagsOf = (account: Account, contact: Contact): Tag[] =>
  contact.tagIds.map((id) => account.tables.tag.get(id)).filter((tag) => tag !== undefined);

export const tagView = ({ id, name, color }: Tag): z.infer<typeof wire.Tag> => ({ id, name, color });

/** Contact without extraInfo: lists, upsert, update and tag sync. */
export function contactView(account: Account, contact: Contact): z.infer<typeof wire.Contact> {
  return {
    id: contact.id,
    name: contact.name,
    number: contact.number,
    email: contact.email,
    document: contact.document,
    channel: contact.channel,
    profilePicUrl: null,
    disableBot: contact.disableBot,
    tags: tagsOf(account, contact).map(tagView),
    createdAt: iso(contact.createdAt),
    updatedAt: iso(contact.updatedAt),
  };
}

/** Contact with extraInfo: GET /v1/contacts/{contactId} alone. */
export function fullContactView(account: Account, contact: Contact): z.infer<typeof wire.FullContact> {
  const { createdAt, updatedAt, ...rest } = contactView(account, contact);
  return { ...rest, extraInfo: extraFields(contact.extraInfo), createdAt, updatedAt };
}

const named = (row: { id: number; name: string } | undefined) =>
  row === undefined ? null : { id: row.id, name: row.name };

export function cardView(account: Account, card: Card, choices: Choices): z.infer<typeof wire.Card> {
  const { tables } = account;
  const contact = tables.contact.get(card.contactId) as Contact;
  const stage = card.stageId === null ? undefined : account.stage(card.stageId)?.stage;
  const byId = <T>(id: number | null, get: (id: number) => T | undefined) =>
    id === null ? undefined : get(id);
  return {
    id: card.id,
    title: card.title,
    value: card.value,
    status: card.status,
    probability: stage?.probability ?? choices.probabilityWithoutStage,
    pipeline: named(tables.pipeline.get(card.pipelineId)) as z.infer<typeof wire.Named>,
    stage: named(stage),
    contact: {
      id: contact.id,
      name: contact.name,
      number: contact.number,
      email: contact.email,
      tags: tagsOf(account, contact).map(({ id, name }) => ({ id, name })),
    },
    // A fixture may name a user that it does not list.
    user:
      card.userId === null ? null : (named(tables.user.get(card.userId)) ?? { id: card.userId, name: '' }),
    source: named(byId(card.sourceId, (id) => tables.source.get(id))),
    lostReason:
      card.status === 'lost' ? named(byId(card.lostReasonId, (id) => tables.lostReason.get(id))) : null,
    originTicketId: card.originTicketId,
    expectedCloseDate: card.expectedCloseDate,
    closedAt: card.closedAt === null ? null : iso(card.closedAt),
    stageEnteredAt: iso(card.stageEnteredAt),
    createdAt: iso(card.createdAt),
    updatedAt: iso(card.updatedAt),
  };
}

export function pipelineView(pipeline: Pipeline): z.infer<typeof wire.Pipeline> {
  return {
    id: pipeline.id,
    name: pipeline.name,
    stages: pipeline.stages.map(({ id, name, order, isFinal, isWon, probability }) => ({
      id,
      name,
      order,
      isFinal,
      isWon,
      probability,
    })),
  };
}

export function connectionView(connection: Connection): z.infer<typeof wire.Connection> {
  return {
    id: connection.id,
    name: connection.name,
    channel: connection.channel,
    status: connection.status,
    isDefault: connection.isDefault,
    lastWebhookAt: iso(connection.lastWebhookAt),
    updatedAt: iso(connection.updatedAt),
  };
}
