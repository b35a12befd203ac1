// People as operators see them: search, what happened and why, export and erasure.

import { memberCase } from '../../../jobs/campaigns/rules/member-case.ts';
import { phoneCase } from '../../../mapping/phone/cases.ts';
import { maskEmail, maskName, maskPhone, maskValue, maskWritten } from '../../../observe/masking.ts';
import { exportPerson } from '../../../protect/person/export-person.ts';
import { personPage } from '../../../protect/person/page/person-page.ts';
import type { PEOPLE, WhyReason } from '../../contract/people.ts';
import { OperatorError } from '../../error.ts';
import { type FoundExcluded, searchExcluded } from '../../store/people/excluded-search.ts';
import { type PersonHit, searchPeople } from '../../store/people/people-search.ts';
import { findPerson, type Person } from '../../store/people/person.ts';
import { laterRuns } from '../../store/people/row-later.ts';
import { type FoundRow, searchRows } from '../../store/people/row-search.ts';
import { CursorError, readTimeline } from '../../store/people/timeline.ts';
import { readWhy } from '../../store/people/why.ts';
import { isAllowed } from '../caller.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';
import { entryOf, maskedProblem } from './entries.ts';
import { eraseEverywhere } from './erase.ts';
import { countriesIn, readQuery } from './query.ts';

/** Rejected and merged rows, and excluded members, that a search shows. */
const ROWS_SHOWN = 20;

export function peopleHandlers(deps: OperatorDeps): Handlers<keyof typeof PEOPLE> {
  const { db, config } = deps;

  async function personOf(account: string, ref: string): Promise<Person> {
    const person = await findPerson(db, account, ref);
    if (person === null) throw unknownPerson(account, ref);
    return person;
  }

  return {
    'POST /people/search': async ({ query, account, limit, unmask }, caller) => {
      const known = Object.keys(config().config.accounts);
      if (account !== undefined && !known.includes(account)) throw unknownAccount(account, known);
      const whole = !isAllowed(caller, 'operator');
      const read = {
        ...readQuery(query, account === undefined ? known : [account], countriesIn(config().config)),
        whole,
      };
      const found = await searchPeople(db, read, limit + 1);
      const rows = await searchRows(db, read, ROWS_SHOWN);
      const later = await laterRuns(
        db,
        rows.filter((row) => row.rejected !== null),
      );
      const excluded = await searchExcluded(db, read, ROWS_SHOWN);
      const isFound = (one: string, key: string) =>
        found.some((hit) => hit.account === one && hit.key === key);
      return {
        people: found.slice(0, limit).map((hit) => shownHit(hit, unmask)),
        more: found.length > limit,
        readings: read.keys.map((key) => (unmask ? `+${key}` : maskPhone(key))),
        rejected: rows.flatMap((row) =>
          row.rejected === null
            ? []
            : { ...shownRejected(row, row.rejected, unmask), later: later.get(row) ?? null },
        ),
        // The timeline of a person who was found has the rows that were merged into theirs.
        merged: rows.flatMap((row) =>
          row.merged === null || isFound(row.account, row.merged.key)
            ? []
            : { ...shownRow(row, unmask), into: row.merged.into },
        ),
        excluded: excluded.map((each) => shownExcluded(each, unmask)),
      };
    },

    'GET /people/{account}/{person}': async ({ account, person: ref, unmask }) => {
      const person = await personOf(account, ref);
      const why = (await readWhy(db, person)).map((each) => ({
        ...each,
        problem: each.problem && {
          ...each.problem,
          params: phoneCase(each.problem.reason) ?? memberCase(each.problem.code, each.problem.reason),
        },
      }));
      const { contacts, conversations, cards } = person;
      return {
        ...shownPerson(person, unmask),
        contacts: [...contacts],
        conversations: [...conversations],
        cards: [...cards],
        why: unmask
          ? why
          : why.map((each) => ({
              ...each,
              problem: each.problem && {
                ...each.problem,
                ...(maskedProblem(each.problem) as WhyReason['problem'] & object),
              },
            })),
      };
    },

    'GET /people/{account}/{person}/timeline': async ({
      account,
      person: ref,
      kind,
      limit,
      before,
      unmask,
    }) => {
      const person = await personOf(account, ref);
      const kinds = kind === undefined ? [] : [kind];
      const page = { kinds, limit, before: before ?? null };
      const { entries, next } = await readTimeline(db, person, page).catch((error: unknown) => {
        if (error instanceof CursorError)
          throw new OperatorError('invalid', error.message, { code: 'CURSOR' });
        throw error;
      });
      return { entries: entries.map((row) => entryOf(account, row, unmask)), next };
    },

    'POST /people/{account}/{person}/export': async ({ account, person: ref, page: language }) => {
      const tables = await exportPerson(db, await personOf(account, ref));
      const exported = { account, person: ref, at: new Date().toISOString(), tables };
      const page = language === undefined ? null : personPage(exported, language, config().config);
      return { ...exported, page };
    },

    'POST /people/{account}/{person}/erase': async ({ account, person, optOut }, caller) => {
      const by = caller?.identity ?? null;
      const erased = await eraseEverywhere(deps, account, person, { optOut, by });
      if (erased === null) throw unknownPerson(account, person);
      return erased;
    },
  };
}

function shownHit(hit: PersonHit, unmask: boolean) {
  return { ...shownPerson(hit, unmask), contact: hit.contact, by: [...hit.by] };
}

function shownRow({ account, sync, run, row, at, by, ...who }: FoundRow, unmask: boolean) {
  return { account, sync, run, row, at, by: [...by], ...shownNames(who, unmask) };
}

function shownNames({ name, email }: Pick<FoundRow, 'name' | 'email'>, unmask: boolean) {
  return {
    name: name === null || unmask ? name : maskName(name),
    email: email === null || unmask ? email : maskEmail(email),
  };
}

function shownExcluded({ number, code, reason, by, name, email, ...found }: FoundExcluded, unmask: boolean) {
  return {
    ...found,
    by: [...by],
    ...shownNames({ name, email }, unmask),
    value: number === null || unmask ? number : maskWritten(number),
    problem: { code, reason },
  };
}

function shownRejected(
  row: FoundRow,
  { column, field, value, code, reason }: NonNullable<FoundRow['rejected']>,
  unmask: boolean,
) {
  return {
    ...shownRow(row, unmask),
    column,
    value: value === null || unmask ? value : maskValue(field, value),
    problem: { code, reason, params: phoneCase(reason) },
  };
}

function shownPerson(
  { account, ref, number, name, email }: Pick<Person, 'account' | 'ref' | 'number' | 'name' | 'email'>,
  unmask: boolean,
) {
  const hide = (value: string | null, mask: (text: string) => string) =>
    value === null || unmask ? value : mask(value);
  return {
    account,
    person: ref,
    number: hide(number, maskPhone),
    name: hide(name, maskName),
    email: hide(email, maskEmail),
  };
}

function unknownPerson(account: string, ref: string): OperatorError {
  return new OperatorError(
    'notFound',
    `The ledger has no person ${ref} of the account "${account}". Search again: the id changes when the person is erased or their data expires.`,
    { code: 'NO_SUCH_PERSON' },
  );
}

function unknownAccount(account: string, known: readonly string[]): OperatorError {
  return new OperatorError(
    'notFound',
    `The configuration has no account "${account}"; it has ${known.join(', ')}.`,
    { code: 'UNKNOWN_NAME' },
  );
}
