// Rows of campaigns for tests of their outcomes: written by SQL, so that each test shows its own rows.

import type { Database } from '../../../../../src/core/sql/database.ts';
import type { MemberState } from '../../../../../src/jobs/campaigns/constants.ts';

export const ACCOUNT = 'acme';
export const RUN = 'acme/+spring/1';
export const PERSON = '5511987650001';

/** So many seconds after ten o'clock of the day on which the campaign runs. */
export const t = (seconds: number) => new Date(Date.UTC(2026, 10, 2, 10) + seconds * 1000);

export interface MemberOver {
  readonly run?: string;
  readonly key?: string | null;
  readonly state?: MemberState;
  readonly code?: string | null;
  readonly wave?: number | null;
  readonly place?: number | null;
  readonly triggeredAt?: Date | null;
  readonly events?: readonly string[];
  readonly variables?: object | null;
  /** The campaign has reached the person then. */
  readonly touchedAt?: Date;
  readonly count?: number;
}

/** Hands that write into a ledger. */
export function campaignRows(db: () => Database) {
  let conversations = 0;
  let messages = 0;
  return {
    async run(
      id = RUN,
      over: { readonly state?: string; readonly endedAt?: Date | null } = {},
    ): Promise<void> {
      const [account = '', sync = '', seq] = id.split('/');
      // One run of a name is open at a time.
      await db().query('update runs set finished_at = now() where account = $1 and sync = $2', [
        account,
        sync,
      ]);
      await db().query(
        `insert into runs (id, account, sync, seq, spec, kind, status) values ($1, $2, $3, $4::int, $5::jsonb, 'campaign', 'syncing')`,
        [
          id,
          account,
          sync,
          seq,
          JSON.stringify({
            timeZone: 'America/Sao_Paulo',
            config: { approval: 'none', stop: { atLeast: 5 } },
          }),
        ],
      );
      await db().query(
        `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by, planned_at, ended_at)
         values ($1, $2, $3, 'digest', $4, $5, 'ana', $5, $6)`,
        [id, account, sync.slice(1), over.state ?? 'running', t(-3600), over.endedAt ?? null],
      );
    },

    /** @returns id of the (last) member */
    async member(over: MemberOver = {}): Promise<number> {
      const { run = RUN, key = PERSON, state = 'triggered', code = null, wave = 1, touchedAt } = over;
      const triggeredAt =
        over.triggeredAt === undefined ? (state === 'triggered' ? t(0) : null) : over.triggeredAt;
      const { count = 1, place = null, events = [], variables = null } = over;
      const rows = await db().query<{ id: number }>(
        `insert into campaign_members (run_id, key, number, part, state, code, wave, place, triggered_at, events, variables)
         select $1, $2::text || case when n > 1 then n::text else '' end, $2::text, 0, $3, $4, $5, $6::int + n - 1, $7, $8::text[], $9::jsonb
           from generate_series(1, $10::int) n returning id`,
        [
          run,
          key,
          state,
          code,
          wave,
          place,
          triggeredAt,
          events,
          variables && JSON.stringify(variables),
          count,
        ],
      );
      const { id } = rows.at(-1) as { id: number };
      if (touchedAt !== undefined) {
        const [account = '', sync = ''] = run.split('/');
        await db().query(
          'insert into campaign_touches (member_id, account, key, campaign, run_id, at) values ($1, $2, $3, $4, $5, $6)',
          [id, account, key, sync.slice(1), run, touchedAt],
        );
      }
      return id;
    },

    /** @returns id of the conversation */
    async conversation(
      over: { readonly account?: string; readonly key?: string; readonly inboundAt?: Date | null } = {},
    ): Promise<number> {
      conversations += 1;
      await db().query(
        `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, inbound_at)
         values ($1, $2, 'chats', 1, 'waba', $3, now(), 'fingerprint', '{}', $4)`,
        [over.account ?? ACCOUNT, conversations, over.key ?? PERSON, over.inboundAt ?? null],
      );
      return conversations;
    },

    async message(
      conversation: number,
      at: Date | null,
      over: {
        readonly fromMe?: boolean | null;
        readonly status?: string | null;
        readonly account?: string;
        readonly staged?: boolean;
      } = {},
    ): Promise<void> {
      messages += 1;
      const { fromMe = false, status = null, account = ACCOUNT, staged = false } = over;
      await db().query(
        'insert into messages (account, conversation_id, key, at, from_me, status, item) values ($1, $2, $3, $4, $5, $6, $7::jsonb)',
        [account, conversation, `id:m${messages}`, at, fromMe, status, staged ? '{}' : null],
      );
    },

    async event(
      id: string,
      action: 'stage' | 'tags',
      over: { readonly outcome?: string | null; readonly endedAt?: Date } = {},
    ): Promise<void> {
      const { outcome = 'done', endedAt = t(30) } = over;
      await db().query(
        `insert into runs (id, account, sync, seq, spec, kind, status)
         values ('acme/@+spring/1', 'acme', '@+spring', 1, '{}', 'intake', 'syncing') on conflict do nothing`,
      );
      await db().query(
        `insert into events (id, account, route, run_id, action, subject, state, outcome, ended_at)
         values ($1, 'acme', '+spring', 'acme/@+spring/1', $2, 'subject', $3, $4, $5)`,
        [id, action, outcome === null ? 'accepted' : 'ended', outcome, outcome === null ? null : endedAt],
      );
    },

    async stamps(id: number): Promise<Record<string, Date | null>> {
      const [row] = await db().query<Record<string, Date | null>>(
        `select replied_at as replied, delivered_at as delivered, read_at as read, opted_out_at as "optedOut",
                moved_at as moved, tagged_at as tagged from campaign_members where id = $1`,
        [id],
      );
      return Object.fromEntries(Object.entries(row ?? {}).filter(([, at]) => at !== null));
    },
  };
}
