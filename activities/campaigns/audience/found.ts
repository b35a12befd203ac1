// Maps cards, contacts and rows to members of an audience.

import type { CompiledAudience, MappedMember } from '../../../src/jobs/campaigns/rules/audience-row.ts';
import { isZone } from '../../../src/jobs/campaigns/rules/zones.ts';
import type { FoundMember } from '../../../src/jobs/campaigns/store/audience.ts';
import type { Card } from '../../../src/service/api-client/schemas/card.ts';
import type { Contact } from '../../../src/service/api-client/schemas/contact.ts';

/** @param from ids, tags and row of the member, without a number */
export async function memberOf(
  compiled: CompiledAudience,
  view: Readonly<Record<string, unknown>>,
  from: Omit<FoundMember, 'key' | 'number'>,
): Promise<FoundMember> {
  // Awaiting a plain value costs one tick of the event loop, and most mappings return one.
  const pending = compiled.apply(view);
  return asFound(pending instanceof Promise ? await pending : pending, from);
}

function asFound(
  { who, variables, zone }: MappedMember,
  from: Omit<FoundMember, 'key' | 'number'>,
): FoundMember {
  if (!who.ok) return { ...from, key: null, number: null, reason: who.reason, identity: who.identity };
  const zones = zone !== undefined && isZone(zone) ? zone : '';
  return { ...from, key: who.key, number: who.number, variables, zones };
}

export async function memberOfCard(compiled: CompiledAudience, card: Card): Promise<FoundMember> {
  const { contact } = card;
  return await memberOf(
    compiled,
    { card, contact },
    {
      contactId: contact.id,
      cardId: card.id,
      cardAt: card.createdAt,
      tagIds: contact.tags.map(({ id }) => id),
    },
  );
}

export async function memberOfContact(compiled: CompiledAudience, contact: Contact): Promise<FoundMember> {
  const tagIds = contact.tags.map(({ id }) => id);
  return await memberOf(compiled, { contact }, { contactId: contact.id, tagIds });
}
