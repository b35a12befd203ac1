// Version 48: intents of teams' own activities, which are deleted by age.

export const OWN_INTENTS = `
  create index intents_own on intents (created_at) where kind like 'own-%';
`;
