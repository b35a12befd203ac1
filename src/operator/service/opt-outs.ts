// The registry of opt-outs as operators see and change it.
import { UnknownNameError } from '../../core/config/errors.ts';
import { Time } from '../../core/endpoint.ts';
import { MAX_EVIDENCE, type OptOut, recordOptOuts, withdrawOptOut } from '../../core/store/opt-outs.ts';
import { suggestion } from '../../core/suggest.ts';
import { addedOptOuts, withdrawnOptOuts } from '../../jobs/outbox/store/opt-out-news.ts';
import { canonicalKey, isCountry, type PhoneRules, parsePhone } from '../../mapping/phone/index.ts';
import { maskPhone } from '../../observe/masking.ts';
import type { ImportRow, OPT_OUTS, OptOutEntry } from '../contract/opt-outs.ts';
import { OperatorError } from '../error.ts';
import { listOptOuts, type OptOutRow, optOutId } from '../store/opt-outs.ts';
import { announcerOf } from './announce.ts';
import type { Caller } from './caller.ts';
import type { Handlers, OperatorDeps } from './deps.ts';
import { HIDDEN } from './masking.ts';
import { badCursor, beforeId } from './page.ts';

/** Milliseconds that the clock of another system may be ahead. */
const AHEAD_MS = 5 * 60_000;

export function optOutHandlers(deps: OperatorDeps): Handlers<keyof typeof OPT_OUTS> {
  const { db, config, now } = deps;
  const announce = announcerOf(deps);

  function requireAccount(account: string): void {
    const known = Object.keys(config().config.accounts);
    if (!known.includes(account))
      throw new UnknownNameError('account', account, suggestion(account, known, 'accounts'));
  }

  return {
    'GET /opt-outs': async ({ limit, before, unmask, ...filter }) => {
      if (filter.account !== undefined) requireAccount(filter.account);
      const rows = await listOptOuts(db, filter, { before: beforeId(before), limit: limit + 1 });
      return pageOf(rows, limit, unmask);
    },

    'POST /opt-outs/{account}': async ({ account, number, country, at, evidence = null }, caller) => {
      requireAccount(account);
      const key = keyOf(number, rulesOf(country));
      const time = new Date(await now());
      const when = at === undefined ? time : new Date(at);
      if (when.getTime() > time.getTime() + AHEAD_MS)
        throw new OperatorError('invalid', `at: ${AHEAD.reason}`, { code: AHEAD.code });
      const note = evidence === '' ? null : evidence;
      const optOut = { key, at: when, evidence: note };
      const how = { via: 'operator', by: identityOf(caller) } as const;
      const result = await announce(async (tx) => {
        const recorded = await recordOptOuts(tx, account, [optOut], how);
        return { result: recorded[0]?.result ?? 'known', news: addedOptOuts(account, recorded, how) };
      });
      return { result, id: await optOutId(db, account, key) };
    },

    'POST /opt-outs/{account}/withdraw': async ({ account, number, country, reason }, caller) => {
      requireAccount(account);
      const key = keyOf(number, rulesOf(country));
      const at = new Date(await now());
      const by = identityOf(caller);
      const ids = await announce(async (tx) => {
        const withdrawn = await withdrawOptOut(tx, account, key, { at, by, reason });
        const news = withdrawnOptOuts(account, withdrawn, { number: key, by });
        return { result: withdrawn.map(({ id }) => id), news };
      });
      if (ids.length === 0)
        throw new OperatorError(
          'conflict',
          `the person with this number has not opted out of ${account}; \`sluice optout list\` shows who has`,
          { code: 'NOT_OPTED_OUT' },
        );
      return { ids };
    },

    'POST /opt-outs/{account}/import': async ({ account, country, rows, dryRun }, caller) => {
      requireAccount(account);
      const { optOuts, rejected } = readRows(rows, rulesOf(country), await now());
      const how = { via: 'import', by: identityOf(caller) } as const;
      const results = await ifDryRun(
        announce(async (tx) => {
          const recorded = await recordOptOuts(tx, account, optOuts, how);
          const results = recorded.map(({ result }) => result);
          if (dryRun) throw new DryRunEnd(results);
          return { result: results, news: addedOptOuts(account, recorded, how) };
        }),
      );
      const count = (wanted: string) => results.filter((result) => result === wanted).length;
      return { added: count('added'), known: count('known'), withdrawn: count('withdrawn'), rejected };
    },

    'POST /opt-outs/{account}/export': async ({ account, source, since, limit, after }) => {
      requireAccount(account);
      if (after !== undefined && !/^\d{1,18}$/.test(after)) throw badCursor();
      const page = { after: after ?? null, limit: limit + 1 };
      return pageOf(await listOptOuts(db, { account, source, since }, page), limit, true);
    },
  };
}

function identityOf(caller: Caller | null): string {
  if (caller === null) throw new OperatorError('unauthenticated', 'log in first', { code: 'LOGIN_REQUIRED' });
  return caller.identity;
}

function pageOf(rows: readonly OptOutRow[], limit: number, unmask: boolean) {
  const shown = rows.slice(0, limit);
  return {
    optOuts: shown.map((row) => entryOf(row, unmask)),
    next: rows.length > limit ? String(shown.at(-1)?.id) : null,
  };
}

function entryOf({ key, evidence, ...row }: OptOutRow, unmask: boolean): OptOutEntry {
  const number = /^\d+$/.test(key) ? key : null;
  return {
    ...row,
    number: number === null ? null : unmask ? `+${number}` : maskPhone(number),
    evidence: evidence === null || unmask ? evidence : HIDDEN,
  };
}

function rulesOf(country: string | undefined): PhoneRules {
  if (country === undefined) return {};
  if (isCountry(country)) return { country };
  throw new OperatorError('invalid', `country: there is no country "${country}" with phone numbers`, {
    code: 'INPUT',
  });
}

/** @throws OperatorError (invalid) for a number that is none, or may be two */
function keyOf(text: string, rules: PhoneRules): string {
  const read = readNumber(text, rules);
  if ('key' in read) return read.key;
  throw new OperatorError('invalid', `number: ${read.reason}`, { code: read.code });
}

interface Refusal {
  readonly code: string;
  readonly reason: string;
}

function readNumber(text: string, rules: PhoneRules): { readonly key: string } | Refusal {
  const phone = parsePhone(text, rules);
  if (phone.ok) return { key: canonicalKey(phone.number) };
  const isLocal = rules.country === undefined && !/^\s*(?:\+|00)/.test(text);
  return {
    code: phone.code,
    reason: isLocal ? `${phone.reason}; write + and the country code, or name the country` : phone.reason,
  };
}

const AHEAD: Refusal = {
  code: 'OPT_OUT_AHEAD',
  reason: 'the time is in the future; correct the time or its offset',
};
const NO_TIME: Refusal = {
  code: 'OPT_OUT_TIME',
  reason: 'the time is not ISO 8601 with an offset; write it as 2026-11-20T06:00:00-03:00',
};
const LONG: Refusal = {
  code: 'OPT_OUT_EVIDENCE',
  reason: `the evidence has more than ${MAX_EVIDENCE} characters; shorten it`,
};

function readRows(rows: readonly ImportRow[], rules: PhoneRules, now: number) {
  const optOuts: OptOut[] = [];
  const rejected: (Refusal & { readonly row: number })[] = [];
  for (const [index, row] of rows.entries()) {
    const read = readRow(row, rules, now);
    if ('code' in read) rejected.push({ row: index + 1, code: read.code, reason: read.reason });
    else optOuts.push(read);
  }
  return { optOuts, rejected };
}

function readRow({ number, at, evidence = '' }: ImportRow, rules: PhoneRules, now: number): OptOut | Refusal {
  const read = readNumber(number, rules);
  if ('code' in read) return read;
  const time = Time.safeParse(at.trim());
  if (!time.success) return NO_TIME;
  const when = new Date(time.data);
  if (when.getTime() > now + AHEAD_MS) return AHEAD;
  const note = evidence.trim();
  if ([...note].length > MAX_EVIDENCE) return LONG;
  return { key: read.key, at: when, evidence: note === '' ? null : note };
}

/** Ends the transaction of a dry run. */
class DryRunEnd extends Error {
  override readonly name = 'DryRunEnd';
  readonly results: readonly string[];
  constructor(results: readonly string[]) {
    super('a dry run keeps nothing');
    this.results = results;
  }
}

/** A dry run does everything and rolls it back, so that its answer cannot differ. */
async function ifDryRun(work: Promise<readonly string[]>): Promise<readonly string[]> {
  return await work.catch((error: unknown) => {
    if (error instanceof DryRunEnd) return error.results;
    throw error;
  });
}
