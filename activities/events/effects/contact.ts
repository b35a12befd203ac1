// Steps on an event's contact: find it, and change its tags.

import { pick, readCatalog } from '../../../src/core/store/catalog.ts';
import type { EffectResult, EffectStep } from '../../../src/jobs/events/contract/intake.ts';
import { noteRemote } from '../../../src/jobs/events/store/effect-notes.ts';
import { getEvent, noteProgress } from '../../../src/jobs/events/store/events.ts';
import { callApi } from '../../shared/api-call.ts';
import type { Deps } from '../../shared/deps.ts';
import { refusal } from '../../shared/failures.ts';
import { CONTACTS, choose, listContacts, withNumber } from '../../shared/person-lists.ts';
import { wholeList } from '../../shared/whole-list.ts';
import { type EffectInput, failEvent, finish, runEffect } from './effect.ts';

/** Age after which a contact's tags are read again, so that Sluice does not undo what people changed meanwhile. */
const FRESH_MS = 5 * 60_000;
/** Maximum number of names that a reason quotes. */
const NAMES_SHOWN = 5;

const AFTER_CONTACT = {
  tags: 'putTags',
  stage: 'findOpenCard',
  flow: 'triggerFlow',
} as const satisfies Record<string, EffectStep>;

const NO_CONTACT = {
  tags: 'so Sluice sets no tags: send the person as a lead first',
  stage: 'so there is no card to move',
  flow: 'and a flow needs an existing contact: send the person as a lead first, or set the assumption flows.contactIdentity',
} as const;

export function createContactEffects(deps: Deps) {
  const { db } = deps;
  return {
    /** GET /v1/contacts?number=. The service finds both forms of a Brazilian number. */
    async findContact(input: EffectInput): Promise<EffectResult> {
      return await runEffect(deps, 'findContact', ['tags', 'stage', 'flow'], input, async (c) => {
        const { request } = c;
        const of = request.type === 'stage' ? request.of : request;
        if (!('key' in of)) throw new Error('an event about a card has no contact to find');
        const list = await listContacts(deps, c.account, c.run, of.key);
        const found = choose(wholeList(CONTACTS, list, withNumber(of.key, 'findContact')), of.key);
        if (found === null) {
          const reason = `the account has no contact with this number, ${NO_CONTACT[request.type]}`;
          return await failEvent(deps, c, 'NO_CONTACT', reason);
        }
        const tags = found.tags.map(({ id, name }) => ({ id, name }));
        await noteRemote(db, c.event.account, of.key, found);
        await noteProgress(db, c.event.id, { contact: { id: found.id, tags, at: Date.now() } });
        return { next: AFTER_CONTACT[request.type] };
      });
    },

    /**
     * PUT /v1/contacts/{contactId}/tags. It replaces the whole list, so the step changes the list that was just read.
     * If the event both adds and removes a name, the tag is added.
     */
    async putTags(input: EffectInput): Promise<EffectResult> {
      return await runEffect(deps, 'putTags', ['tags'], input, async (c) => {
        const { request, progress, event } = c;
        const { contact } = progress;
        if (contact === undefined || Date.now() - contact.at > FRESH_MS) return { next: 'findContact' };
        const catalog = await readCatalog(db, event.account, 'tags');
        if (catalog === null && request.add.length > 0)
          throw refusal('CATALOG_UNREAD', "the account's tags have not been read", {
            scope: 'step',
            step: 'putTags',
          });
        const tagOf = (name: string) => pick(contact.tags, name) ?? pick(catalog ?? [], name);
        const wanted = request.add.map((name) => ({ name, tag: tagOf(name) }));
        const unknown = wanted.flatMap(({ name, tag }) => (tag === null ? [name] : []));
        if (unknown.length > 0) return await failEvent(deps, c, 'UNKNOWN_TAG', lacking(unknown));
        const ids = new Set(contact.tags.map(({ id }) => id));
        for (const name of request.remove) {
          const tag = pick(contact.tags, name);
          if (tag !== null) ids.delete(tag.id);
        }
        for (const { tag } of wanted) if (tag !== null) ids.add(tag.id);
        const same = ids.size === contact.tags.length && contact.tags.every(({ id }) => ids.has(id));
        if (same) return await finish(deps, db, event.id, { outcome: 'unchanged' });
        const answer = await callApi(
          deps,
          c.account,
          c.run,
          'contacts:write',
          (client, options) => client.contacts.setTags(contact.id, [...ids], options),
          // An attempt that outlived its timeout would restore an old list.
          async () => (await getEvent(db, event.id))?.state !== 'ended',
        );
        if (answer === null) return { next: null };
        // The service ignores unknown ids silently, so compare its response. A response without a contact proves
        // nothing.
        const shown = answer.contact?.tags ?? null;
        const gone = wanted.filter(({ tag }) => shown !== null && !shown.some(({ id }) => id === tag?.id));
        if (gone.length > 0)
          return await failEvent(deps, c, 'UNKNOWN_TAG', lacking(gone.map(({ name }) => name)));
        return await finish(deps, db, event.id, { outcome: 'done' });
      });
    },
  };
}

function lacking(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => JSON.stringify(name));
  const more = names.length > NAMES_SHOWN ? ' and more' : '';
  const what = names.length === 1 ? '1 tag of the event is' : `${names.length} tags of the event are`;
  return `${what} not in the account: ${shown.join(', ')}${more}; create them in the service, or map the values to other tags`;
}
