// What speaks for an unknown trigger: evidence for the operator who resolves it. Sluice decides nothing by it.

/** A conversation that changed this soon after the call. The service has its own clock. */
const SOON = "between m.sent_at - interval '5 seconds' and m.sent_at + interval '1 minute'";

/**
 * Id of the conversation that changed right after the call of an unknown member `m`; null if none did.
 * @param account SQL of the member's account
 */
export const changedConversation = (account: string) => `(select v.id from conversations v
     where m.state = 'unknown' and v.account = ${account} and v.person_key = m.key and v.updated_at ${SOON}
     order by v.updated_at limit 1)`;
