// The contact upsert by number (API text, POST /v1/contacts), and the part that other calls share.
import { z } from 'zod';
import { Problem } from '../http/errors.ts';
import { type Call, checked, flatExtra, isMissing, type Scene } from '../http/route.ts';
import { idIn, UpsertFields } from '../openapi/inputs.ts';
import type { Contact, Op } from '../state/model.ts';
import { defaultConnection, isChat } from './connections.ts';
import { normalizeNumber } from './numbers.ts';

const Identity = z.object({ number: z.string() });

/** Returns a new contact with this number, not stored yet. */
function newContact(scene: Scene, number: string, name: string): Contact {
  return {
    id: scene.store.nextId('contact'),
    number,
    name,
    email: null,
    document: null,
    channel: scene.choices.newContactChannel,
    disableBot: false,
    tagIds: [],
    extraInfo: [],
    createdAt: scene.at,
    updatedAt: scene.at,
  };
}

/**
 * Returns the contact of a normalized number. If there is none, it creates one with `name`.
 *
 * @returns `ops` has the changes to commit: none for a known contact
 */
export function contactFor(scene: Scene, number: string, name?: string | null) {
  const known = scene.account.contactByNumber(number);
  if (known !== undefined) return { contact: known, isNew: false, ops: [] };
  const contact = newContact(scene, number, isMissing(name) ? number : (name as string));
  const ops: Op[] = [['contact', scene.account.id, contact]];
  return { contact, isNew: true, ops };
}

/**
 * Creates or updates a contact. Checks in order: number, types of the other fields, connection, network.
 * @throws Problem ERR_MISSING_NUMBER, ERR_NUMBER_INVALID, ERR_WHATSAPP_NOT_FOUND, ERR_NO_CONNECTION_AVAILABLE,
 * ERR_NUMBER_NOT_ON_WHATSAPP
 */
export function upsertContact(call: Call): { readonly contact: Contact; readonly created: boolean } {
  const { account, body, choices } = call;
  if (isMissing(body['number'])) throw new Problem('ERR_MISSING_NUMBER');
  const raw = checked(Identity, body).number;
  const fields = checked(UpsertFields, body);
  const number = normalizeNumber(raw, choices);
  checkNetwork(call, number, fields.validateNumber === true);

  const old = account.contactByNumber(number);
  const written: { -readonly [K in keyof Contact]?: Contact[K] } = {};
  for (const key of ['name', 'email', 'document'] as const) {
    const value = fields[key];
    if (typeof value === 'string' && value.trim() !== '') written[key] = value;
  }
  if (typeof fields.disableBot === 'boolean') written.disableBot = fields.disableBot;
  const extra = fields.extraInfo;
  if (Array.isArray(extra) && (extra.length > 0 || choices.emptyExtraInfoErasesOnUpsert)) {
    written.extraInfo = flatExtra(extra);
  }
  if (old !== undefined && Object.keys(written).length === 0) return { contact: old, created: false };
  const contact: Contact = { ...(old ?? newContact(call, number, number)), ...written, updatedAt: call.at };
  call.store.commit([['contact', account.id, contact]]);
  return { contact, created: old === undefined };
}

/** Rules 5 and 6. waba connections never block. */
function checkNetwork({ account, body, choices }: Call, number: string, validate: boolean): void {
  const id = idIn(body['whatsappId']);
  let connection = id === undefined ? undefined : account.tables.connection.get(id);
  if (!isMissing(body['whatsappId'])) {
    if (connection === undefined) throw new Problem('ERR_WHATSAPP_NOT_FOUND');
  } else if (validate || choices.upsertAlwaysNeedsConnection) {
    if (!account.tables.connection.rows.some(isChat)) throw new Problem('ERR_NO_CONNECTION_AVAILABLE');
    connection = defaultConnection(account);
  }
  if (validate && connection?.channel !== 'waba' && account.isOffNetwork(number)) {
    throw new Problem('ERR_NUMBER_NOT_ON_WHATSAPP');
  }
}
