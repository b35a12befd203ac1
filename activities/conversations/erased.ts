// Conversations of erased people. Their listings are stored without the person and their messages are not imported,
// until the person writes again.
import type { ConversationRow, Listing } from '../../src/jobs/conversations/store/rows.ts';

/** True from the erasure until the person writes again. */
export const isForgotten = ({ erased_at, inbound_at }: ConversationRow): boolean =>
  erased_at !== null && (inbound_at === null || inbound_at <= erased_at);

/** The listing as far as it names nobody. Its fingerprint stays, so that changes are still noticed. */
export function withoutPerson(listing: Listing): Listing {
  const contact = { id: listing.state.contact.id, name: null, number: null };
  return { ...listing, state: { ...listing.state, contact }, lastMessage: null, personKey: '' };
}

/** A message without a time counts as older. */
export const isSinceErasure = ({ erased_at }: ConversationRow, at: string | null): boolean =>
  erased_at === null || (at !== null && new Date(at) > erased_at);

/** True if a message may be imported. What the company sends to an erased person waits until they write. */
export const mayImport = (row: ConversationRow, at: string | null): boolean =>
  !isForgotten(row) && isSinceErasure(row, at);
