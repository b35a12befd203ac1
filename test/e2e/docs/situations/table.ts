// The commands that use the operator API, in an order in which each can work, and what may differ between situations.

export type Situation = 'up' | 'down' | 'remote';

export interface Case {
  /** As a script types it after `sluice`. $NAME is an id of {@link Ids}. */
  readonly command: string;
  /** Exit code in every situation. @default 0 */
  readonly exit?: number;
  /** Exit codes that differ by nature, and why. Null: it is not run there, as it would stay up. */
  readonly but?: Readonly<Partial<Record<Situation, number | null>>> & { readonly because: string };
  readonly input?: string;
  /** Keys of its JSON, anywhere in it, that differ from call to call, with the reason. */
  readonly differs?: Differs;
  /** Further keys that differ where nothing runs. */
  readonly alone?: Differs;
}

type Differs = Readonly<Record<string, string>>;

/** Of the user `root`. */
export const PASSWORD = 'a long password of the test';

/** In a command, $NAME stands for the id. */
export type Ids = Readonly<Record<`$${string}`, string>>;

const PERIOD = { since: 'counted from now', until: 'now' };
const POLLS = 'the running poller makes calls';

/** They change nothing, so each situation reads the same. */
export const READS: readonly Case[] = [
  {
    command: 'status',
    differs: {
      at: 'now',
      until: 'now',
      loadedAt: 'when its process started',
      roundTripMs: 'measured',
      lagSeconds: 'counted from now',
      callsPerMinute: 'of the minutes until now',
      etaSeconds: 'counted from now',
    },
    alone: {
      temporal: 'no Temporal server runs, and status starts none',
      api: POLLS,
      tokens: POLLS,
      lastFlushAt: POLLS,
      polledAt: 'nobody polls',
      workers: 'none runs',
      needs: 'neither a worker nor a Temporal server runs',
    },
  },
  { command: 'account list' },
  { command: 'account show acme', differs: { readAt: 'now' } },
  { command: 'calls list --failed --since 2h' },
  { command: 'calls spending --by-run --since 7d', differs: PERIOD, alone: { calls: POLLS, items: POLLS } },
  { command: 'failures --since 12h', differs: PERIOD },
  {
    command: 'doctor --account acme',
    differs: { ms: 'measured', reason: 'has a measured time' },
    alone: { summary: 'one check fewer', groups: 'no Temporal server runs to be checked' },
  },
  { command: 'find +5511912345601' },
  { command: 'find nobody@example.com', exit: 3 },
  {
    command: 'sync list',
    alone: { next: 'only Temporal knows it, and a list starts none', paused: 'as `next`' },
  },
  { command: 'sync runs leads' },
  { command: 'sync status leads' },
  { command: 'sync rows leads --created --updated --unchanged --merged --rejected --failed --unknown' },
  {
    command: 'sync plan leads',
    differs: { earliest: 'counted from now', latest: 'counted from now' },
    alone: { readAt: 'each ledger read the tags of the account at its own time' },
  },
  { command: 'sync schedule list' },
  { command: 'sync run laeds', exit: 3 },
  { command: 'campaign list win-back --limit 5' },
  { command: 'campaign status win-back' },
  { command: 'campaign audit win-back' },
  { command: 'campaign export win-back --members --numbers' },
  { command: 'campaign schedule list' },
  { command: 'events list --done' },
  { command: 'events show $EVENT' },
  { command: 'message status $EVENT' },
  { command: 'outbox status' },
  { command: 'outbox list --dead' },
  { command: 'outbox show $SHOW' },
  {
    command: 'poll status',
    differs: { polls: POLLS, calls: POLLS, polledAt: POLLS },
    alone: { state: 'nobody polls' },
  },
  { command: 'poll gaps' },
  { command: 'person export +5521912345602', differs: { at: 'now' } },
  { command: 'person export nobody@example.com', exit: 3 },
  { command: 'dlq list', exit: 3 },
  { command: 'dlq show 0-17', exit: 3 },
  { command: 'refused list' },
  { command: 'refused show rr_0123456789abcdefghijkl', exit: 3 },
  { command: 'optout list' },
  { command: 'user list' },
  {
    command: 'ledger retention',
    differs: {
      bytes: 'of files',
      rows: 'an estimate',
      startedAt: 'hourly',
      endedAt: 'hourly',
      active: 'hourly',
    },
    alone: { deleted: 'workers delete', deletedEver: 'workers delete' },
  },
];

const NO_TOKEN = { remote: 4, because: 'an access token may not change users: SESSION_REQUIRED' };

const NOT_BEGUN = { down: 3, because: 'the command that triggered the run ended before a worker began it' };

export const CHANGES: readonly Case[] = [
  { command: 'config reload', but: { down: 8, because: 'nothing runs that could load it' } },
  { command: 'user add ana --role operator', but: NO_TOKEN },
  { command: 'user set-role ana --role approver', but: NO_TOKEN },
  { command: 'user disable ana', but: NO_TOKEN },
  { command: 'user enable ana', but: NO_TOKEN },
  { command: 'user link ana', but: NO_TOKEN },
  { command: 'user reset-second-factor ana --verified seen', exit: 5, but: NO_TOKEN },
  { command: 'sync run leads' },
  { command: 'sync retry leads' },
  { command: 'sync resolve leads --row 1 --reason seen' },
  { command: 'review leads' },
  { command: 'sync schedule apply' },
  { command: 'sync schedule pause leads --reason maintenance' },
  { command: 'sync schedule resume leads' },
  { command: 'sync schedule backfill leads --from 2020-06-01T00:00:00Z --to 2020-06-02T00:00:00Z' },
  { command: 'sync schedule trigger slow' },
  { command: 'sync pause slow --reason maintenance', but: NOT_BEGUN },
  { command: 'sync resume slow', but: NOT_BEGUN },
  { command: 'sync cancel slow --reason export', but: NOT_BEGUN },
  { command: 'campaign schedule apply' },
  { command: 'campaign schedule pause win-back' },
  { command: 'campaign schedule resume win-back' },
  {
    command: 'campaign schedule backfill win-back --from 2020-06-01T00:00:00Z --to 2020-06-02T00:00:00Z',
  },
  { command: 'campaign plan win-back' },
  // The author of a plan cannot approve it.
  { command: 'campaign approve win-back --yes', exit: 5 },
  { command: 'campaign start win-back --yes' },
  { command: 'campaign pause win-back --reason replies' },
  // A pause ends once no trigger is under way. Otherwise all members of the wave could be triggered at this moment.
  { command: 'campaign skip-wave win-back --yes' },
  { command: 'campaign resume win-back' },
  { command: 'campaign rate win-back 30' },
  { command: 'campaign retry win-back' },
  { command: 'campaign resolve win-back --all --as triggered' },
  { command: 'campaign cancel win-back --reason audience --yes' },
  { command: 'campaign schedule trigger yearly' },
  { command: 'poll pause inbox' },
  { command: 'poll resume inbox' },
  { command: 'poll now inbox' },
  { command: 'poll stop inbox' },
  { command: 'poll start inbox' },
  { command: 'message send --account acme --to +5511912345601 --text Hello' },
  { command: 'message reply --account acme --conversation 1 --text Hello' },
  { command: 'events resolve $EVENT' },
  { command: 'events retry $EVENT' },
  { command: 'events replay $EVENT --request missing.json', exit: 3 },
  { command: 'outbox discard $DISCARD', exit: 2 },
  { command: 'outbox discard $DISCARD --yes' },
  { command: 'outbox retry $RETRY' },
  { command: 'person erase nobody@example.com', exit: 2 },
  { command: 'person erase nobody@example.com --yes', exit: 3 },
  { command: 'dlq replay 0-17 --dry-run', exit: 3 },
  { command: 'dlq discard 0-19 --reason test --yes', exit: 3 },
  { command: 'refused replay rr_0123456789abcdefghijkl --dry-run', exit: 3 },
  { command: 'refused discard rr_0123456789abcdefghijkl --reason test --yes', exit: 3 },
  { command: 'optout add +5511912345699 --account acme' },
  { command: 'optout withdraw +5511912345699 --account acme --reason asked' },
  { command: 'optout import missing.csv --account acme --number phone --time at', exit: 3 },
  { command: 'notices test', exit: 3 },
  { command: 'ledger backup' },
  { command: 'ledger end-restore', exit: 3 },
];

const NO_FILE = 'it reads the sluice.yaml of its folder, and the empty folder has none';

/** They need no operator API, or begin one. */
export const OWN: readonly Case[] = [
  { command: 'config check', but: { remote: 3, because: NO_FILE } },
  { command: 'config schema' },
  { command: 'size --tokens 500' },
  { command: 'ledger migrate', exit: 2 },
  { command: 'ledger restored --to 2026-11-23T10:00:00Z', exit: 2 },
  {
    command: 'ledger restore missing',
    exit: 3,
    but: { up: 5, because: 'the state folder is in use' },
  },
  { command: 'completion bash' },
  { command: 'asyncapi' },
  { command: 'optout export --account acme' },
  { command: 'ingress openapi', but: { remote: 3, because: NO_FILE } },
  { command: 'init --dir another' },
  {
    command: 'dev',
    but: {
      up: 5,
      down: null,
      remote: 3,
      because: `a second one is refused, a first one stays up; ${NO_FILE}`,
    },
  },
  { command: 'worker', but: { up: 2, down: 2, remote: 2, because: 'it needs TEMPORAL_ADDRESS' } },
  { command: 'ingress', but: { up: 2, down: 2, remote: 2, because: 'it needs TEMPORAL_ADDRESS' } },
  {
    command: 'console',
    but: { down: null, because: 'with nothing running, it serves the console and stays up' },
  },
  { command: 'sandbox', but: { up: null, down: null, remote: null, because: 'it stays up' } },
  { command: 'demo', but: { up: null, down: null, remote: null, because: 'it stays up' } },
  {
    command: 'login --user root',
    input: `${PASSWORD}\n`,
    but: { up: 2, down: 2, because: 'it needs a server' },
  },
  { command: 'logout', but: { up: 2, down: 2, because: 'it needs a server' } },
];
