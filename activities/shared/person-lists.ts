// The service's lists of one person's contacts and cards: their filters, and which item counts.
import { canonicalKey } from '../../src/mapping/phone/index.ts';
import type { Card } from '../../src/service/api-client/schemas/card.ts';
import type { Contact } from '../../src/service/api-client/schemas/contact.ts';
import { callApi } from './api-call.ts';
import type { AccountAccess, Deps } from './deps.ts';
import type { AskedFor } from './whole-list.ts';

export const CONTACTS = { method: 'GET', path: '/v1/contacts' } as const;
export const CARDS = { method: 'GET', path: '/v1/cards' } as const;

/** GET /v1/contacts?number=. The service finds both forms of a Brazilian number. */
export async function listContacts(deps: Deps, account: AccountAccess, run: string, key: string) {
  return await callApi(deps, account, run, 'contacts:read', (client, options) =>
    client.contacts.list({ number: key, pageSize: 100 }, options),
  );
}

/** The filter `number` of GET /v1/contacts, which covers both forms of a Brazilian number. */
export function withNumber(key: string, step: AskedFor<Contact>['step']): AskedFor<Contact> {
  return { filter: 'number', step, matches: ({ number }) => isSamePerson(key, number) };
}

/** Whether a number that the service shows belongs to the person. */
export function isSamePerson(key: string, number: string): boolean {
  return canonicalKey(number.replace(/\D/g, '')) === key;
}

/** Picks a person's contact: the one with the exact number first, else the oldest. */
export function choose(items: readonly Contact[], key: string): Contact | null {
  return items.find((item) => item.number === key) ?? [...items].sort((a, b) => a.id - b.id)[0] ?? null;
}

/**
 * The filters contactId and pipelineId of GET /v1/cards.
 * @param pipelineId null means any
 */
export function withContact(
  contactId: number,
  pipelineId: number | null,
  step: AskedFor<Card>['step'],
): AskedFor<Card> {
  const matches = ({ contact, pipeline }: Card) =>
    contact.id === contactId && (pipelineId === null || pipeline.id === pipelineId);
  return { filter: pipelineId === null ? 'contactId' : 'contactId and pipelineId', step, matches };
}

export function newest(cards: readonly Card[]): Card | undefined {
  return [...cards].sort((a, b) => b.id - a.id)[0];
}
