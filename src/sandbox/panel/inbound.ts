// Handles a customer's message from a channel, as the service does.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { FixtureError, parseAt } from '../fixture/fixture.ts';
import type { SandboxParts } from '../parts.ts';
import { conversationFor } from '../rules/conversations.ts';
import type { Account } from '../state/account.ts';
import type { Contact, Op } from '../state/model.ts';

const Inbound = z.strictObject({
  number: z.string().regex(/^\d{1,15}$/, 'E.164 without plus: 1 to 15 digits'),
  body: z.string(),
  connectionId: z.int().positive(),
});

/** Creates contact and conversation if needed and adds the message, in one transaction. @throws FixtureError */
export function receiveInbound(parts: SandboxParts, account: Account, body: unknown) {
  const inbound = parseAt(Inbound, body);
  const connection = account.tables.connection.get(inbound.connectionId);
  if (connection === undefined) {
    throw new FixtureError('connectionId', `the account has no connection ${inbound.connectionId}`);
  }
  const at = parts.now().getTime();
  const ops: Op[] = [];
  const known = account.contactByNumber(inbound.number);
  const contact: Contact = known ?? {
    id: parts.store.nextId('contact'),
    number: inbound.number,
    name: inbound.number,
    email: null,
    document: null,
    channel: connection.channel,
    disableBot: false,
    tagIds: [],
    extraInfo: [],
    createdAt: at,
    updatedAt: at,
  };
  if (known === undefined) ops.push(['contact', account.id, contact]);
  const scene = { account, at, choices: parts.choices, store: parts.store };
  const conversation = conversationFor(scene, contact, connection, {});
  const messageId = randomUUID();
  ops.push(['connection', account.id, { ...connection, lastWebhookAt: at }]);
  ops.push(['conversation', account.id, conversation]);
  ops.push([
    'message',
    account.id,
    { id: messageId, conversationId: conversation.id, body: inbound.body, fromMe: false, at },
  ]);
  parts.store.commit(ops);
  return { conversationId: conversation.id, messageId };
}
