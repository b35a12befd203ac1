// What conversations mean for the people in them, as SQL. If something is unknown, the rule protects the person.

/** The conversation is open. A status that the API text does not list counts as open. */
export const isOpen = (table: string): string =>
  `coalesce(lower(${table}.item #>> '{state,status}') not in ('closed', 'pending'), true)`;

/** A person serves it (API text, Conversation), or the service does not show whether one does. */
export const isServed = (table: string): string =>
  `(coalesce(${table}.item #>> '{state,chatbot}' <> 'true', true)
    and (${table}.item #>> '{state,userId}' is not null or coalesce(${table}.item ->> 'mayBeServed' = 'true', false)))`;

/** Why something of a person's conversations is unread; null when nothing is. */
export const unreadOf = (account: string, key: string): string =>
  `(select g.reason from poll_gaps g
     where g.account = ${account} and g.assumed is not null
       and (g.person_key = ${key} or g.conversation_id in (
         select id from conversations where account = ${account} and person_key = ${key}))
     order by g.id limit 1)`;
