// Who did it, as people are called: the identity of a user says how they came in, which matters to the audit log only.

/** `user:marta` → `marta`. Unix users keep their prefix, because they are no users of Sluice. */
export const actorName = (identity: string): string => identity.replace(/^user:/, '');
