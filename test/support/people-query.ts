// A search for people before it looks for anything.
import type { PeopleQuery } from '../../src/operator/store/people/people-search.ts';

export const NOTHING: Omit<PeopleQuery, 'accounts'> = {
  keys: [],
  ref: null,
  whole: false,
  email: null,
  name: null,
  id: null,
  idKind: null,
  event: null,
  request: null,
  row: null,
};
