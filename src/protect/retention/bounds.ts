// What bounds each table of the ledger. A test compares this list with the tables that exist, and with the guide.
import { KINDS } from './kinds.ts';

/** Tables whose rows are not deleted by age, and what bounds them instead. */
const OTHERS: Readonly<Record<string, string>> = {
  access_tokens: 'operators',
  campaign_barred: 'deleted when the audience is frozen',
  campaign_reached: 'people that campaigns reached within 3650 days, the longest frequency cap',
  campaign_seen: 'deleted when the audience is frozen',
  campaign_touches: 'triggers within 3650 days, the longest frequency cap',
  campaign_waves: 'waves of campaign runs',
  campaigns: 'campaign runs, one row each',
  cards: 'cards of people',
  catalog: 'lists of accounts',
  conversations: 'conversations of the service, each with its last message',
  encryption_keys: 'keys of the configuration',
  erasures: 'deleted when the erasure is complete',
  intents: 'one per card, stage or event; those of events and own jobs: `ingress.remember`',
  ledger_keys: 'one row',
  login_attempts: 'deleted after a day',
  login_links: 'one per user',
  opt_outs: 'people who opted out',
  paces: 'active campaign runs',
  people: 'people',
  plan_claims: 'deleted when the run ends',
  plan_pages: 'deleted when the run ends',
  notice_channels: 'channels of notices',
  notice_needs: 'what needs a person, by channel',
  notice_sender: 'one row',
  pollers: 'pollers',
  restores: 'restores',
  reviewed_needs: 'failures that somebody has looked at, of the last year',
  retention: 'kinds of data',
  sink_states: 'sinks',
  slots: 'tokens',
  sluice_migrations: 'versions of the tables',
  snapshot_cards: 'deleted when the run ends',
  snapshot_contacts: 'deleted when the run ends',
  sync_members: 'people of mirrored syncs',
  token_marks: 'tokens',
  user_sessions: 'sessions; deleted when they have expired',
  users: 'operators',
  watermarks: 'syncs',
  worker_processes: 'worker processes of the last seven days',
};

/** By table: the key of sluice.yaml that bounds it, or what else does. */
export function tableBounds(): ReadonlyMap<string, string> {
  const kept = KINDS.flatMap(({ tables, setting }) =>
    tables.map((table) => [table, `\`${setting}\``] as const),
  );
  return new Map(
    [...new Map([...kept, ...Object.entries(OTHERS)])].sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
