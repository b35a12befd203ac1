// People of a draft, in memory. The rules for several entries about one person are those of `addFound`, as far as
// exclusions depend on them.
import type { FoundMember } from '../../../src/jobs/campaigns/store/audience.ts';
import type { DraftMember } from '../../../src/jobs/campaigns/store/freeze.ts';

/** A person of a draft, and where it was found. */
export interface DraftPerson extends DraftMember {
  readonly part: number;
  /** Id of the contact, or number of the row of a source; null: unknown. */
  readonly contact: number | null;
  readonly row: number | null;
  readonly cardAt: string;
  readonly cardId: number;
}

export class DraftPeople {
  readonly #people = new Map<string, DraftPerson>();
  readonly #unreadable = new Set<number>();
  /** Entries without a readable number; a contact counts once. */
  invalid = 0;

  get members(): readonly DraftPerson[] {
    return [...this.#people.values()];
  }

  /** Parts are added in the order of the configuration. */
  add(part: number, found: Iterable<FoundMember>): void {
    for (const each of found) {
      if (each.key === null || each.number === null) this.#addUnreadable(each);
      else this.#addPerson(part, each.key, each.number, each);
    }
  }

  #addUnreadable({ contactId = null }: FoundMember): void {
    if (contactId !== null && this.#unreadable.has(contactId)) return;
    if (contactId !== null) this.#unreadable.add(contactId);
    this.invalid++;
  }

  #addPerson(part: number, key: string, number: string, found: FoundMember): void {
    const { tagIds = null, zones = '', variables = {}, cardAt, cardId, contactId = null, row = null } = found;
    const added: DraftPerson = {
      part,
      contact: contactId,
      row,
      key,
      number,
      zones,
      tagIds,
      variables,
      cardAt: cardAt ?? '',
      cardId: cardId ?? 0,
    };
    const known = this.#people.get(key);
    this.#people.set(key, known === undefined ? added : merged(known, added));
  }
}

function merged(known: DraftPerson, added: DraftPerson): DraftPerson {
  const wins = added.part === known.part && isNewer(added, known);
  const [first, second] = wins ? [added, known] : [known, added];
  return {
    part: first.part,
    contact: first.contact ?? second.contact,
    row: first.row,
    key: first.key,
    number: first.number,
    zones: first.zones === '' ? second.zones : first.zones,
    tagIds: known.tagIds === null ? added.tagIds : [...new Set([...known.tagIds, ...(added.tagIds ?? [])])],
    variables: { ...second.variables, ...first.variables },
    cardAt: first.cardAt,
    cardId: first.cardId,
  };
}

function isNewer(a: DraftPerson, b: DraftPerson): boolean {
  return a.cardAt > b.cardAt || (a.cardAt === b.cardAt && a.cardId > b.cardId);
}
