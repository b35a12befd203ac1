// Searches a ledger for people, and adds a person that the search finds.
import { type PeopleQuery, searchPeople } from '../../../../src/operator/store/people/people-search.ts';
import { findPerson, type Person } from '../../../../src/operator/store/people/person.ts';
import { NOTHING } from '../../../support/people-query.ts';
import { freshAccount, type OpenDatabase } from '../../core/sql/support.ts';
import { addPerson } from './person-rows.ts';
import { IOLANDA } from './somebody.ts';

export function peopleIn(database: OpenDatabase) {
  const search = (account: string, query: Partial<PeopleQuery>) =>
    searchPeople(database(), { ...NOTHING, accounts: [account], ...query }, 20);

  async function known(who = IOLANDA): Promise<{ account: string; person: Person }> {
    const account = freshAccount();
    await addPerson(database(), account, who);
    const [hit] = await search(account, { keys: [who.key] });
    const person = await findPerson(database(), account, hit?.ref ?? '');
    if (person === null) throw new Error('the person was not found');
    return { account, person };
  }

  return { search, known };
}
