// How an opt-out is known. Contracts have it, so it imports nothing.

/**
 * A keyword that the person wrote, a tag on the contact, an operator who erased the person, an operator who recorded it,
 * or a list of another system.
 */
export const OPT_OUT_SOURCES = ['reply', 'tag', 'erase', 'operator', 'import'] as const;
export type OptOutSource = (typeof OPT_OUT_SOURCES)[number];
