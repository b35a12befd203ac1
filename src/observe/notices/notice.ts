// A notice, and its words. It has ids, counts and names of the configuration, and no personal data.
import { shortHash } from '../../core/sql/short-hash.ts';
import { blockedWorkWords, needSentence } from '../../operator/contract/need-words.ts';
import type { Need } from '../../operator/contract/overview.ts';
import type { DueNotice, TrackedNeed } from './rules.ts';

/** A notice names at most this many things that one refused token blocks. */
const MOST_BLOCKED = 5;

export interface NoticeEntry {
  /** The same in the notice of its begin, in that of its end, and in repetitions. */
  readonly id: string;
  readonly kind: Need['kind'];
  readonly severity: Need['severity'];
  readonly account: string | null;
  readonly name: string;
  readonly run: string | null;
  readonly code: string | null;
  readonly count: number;
  /** Of a refused token: all work that waits for one that works. */
  readonly blocks?: Need['blocks'];
  readonly text: string;
  /** ISO 8601. */
  readonly since: string;
  /** Null: it stands. */
  readonly until: string | null;
  /** Null: `operator.http.publicUrl` is not set. */
  readonly url: string | null;
}

export interface Notice {
  readonly version: 1;
  /** The same when a notice is repeated. */
  readonly id: string;
  readonly test: boolean;
  readonly at: string;
  readonly channel: string;
  readonly title: string;
  readonly began: readonly NoticeEntry[];
  readonly ended: readonly NoticeEntry[];
  /** The overview of the console. */
  readonly url: string | null;
}

export interface NoticePlace {
  readonly channel: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Origin of the console. */
  readonly publicUrl: string | null;
}

export function noticeOf({ began, ended }: DueNotice, { channel, now, publicUrl }: NoticePlace): Notice {
  const entry = (need: TrackedNeed) => entryOf(need, publicUrl);
  const entries = { began: began.map(entry), ended: ended.map(entry) };
  const ids = (list: readonly NoticeEntry[]) => list.map(({ id }) => id).sort();
  return {
    version: 1,
    id: shortHash(JSON.stringify([channel, ids(entries.began), ids(entries.ended)])),
    test: false,
    at: new Date(now).toISOString(),
    channel,
    title: titleOf(entries.began, entries.ended),
    began: entries.began,
    ended: entries.ended,
    url: publicUrl === null ? null : `${publicUrl}/`,
  };
}

export function testNotice({ channel, now, publicUrl }: NoticePlace): Notice {
  const at = new Date(now).toISOString();
  return {
    version: 1,
    id: shortHash(JSON.stringify([channel, 'test', at])),
    test: true,
    at,
    channel,
    title: `Sluice: test of the channel ${channel}`,
    began: [],
    ended: [],
    url: publicUrl === null ? null : `${publicUrl}/`,
  };
}

function entryOf(need: TrackedNeed, publicUrl: string | null): NoticeEntry {
  const {
    key,
    kind,
    severity,
    account,
    name,
    run,
    code,
    count,
    blocks = [],
    path,
    firstSeenAt,
    goneAt,
  } = need;
  const isBlocking = blocks.length > 0 && goneAt === null;
  return {
    id: shortHash(JSON.stringify([key, firstSeenAt])),
    kind,
    severity,
    account,
    name,
    run,
    code,
    count,
    ...(isBlocking && { blocks }),
    text: `${needSentence(need)}${account === null ? '' : ` (${account})`}${code === null ? '' : ` [${code}]`}${isBlocking ? `; it blocks ${blockedWorkWords(blocks, MOST_BLOCKED)}` : ''}`,
    since: new Date(firstSeenAt).toISOString(),
    until: goneAt === null ? null : new Date(goneAt).toISOString(),
    url: publicUrl === null ? null : `${publicUrl}${path}`,
  };
}

function titleOf(began: readonly NoticeEntry[], ended: readonly NoticeEntry[]): string {
  const many = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`;
  const critical = began.filter(({ severity }) => severity === 'critical').length;
  const parts = [
    ...(began.length === 0
      ? []
      : [
          `${many(began.length, 'thing needs', 'things need')} a person${critical === 0 ? '' : `, ${critical} critical`}`,
        ]),
    ...(ended.length === 0 ? [] : [many(ended.length, 'need has ended', 'needs have ended')]),
  ];
  return `Sluice: ${parts.join('; ')}`;
}
