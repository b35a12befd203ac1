// The registry of opt-outs as operators see and change it.

import { dirname } from 'node:path';
import { UnknownNameError } from '../../../core/config/errors.ts';
import { pageOf } from '../../../core/page.ts';
import { recordOptOuts, withdrawOptOut } from '../../../core/store/opt-outs.ts';
import { suggestion } from '../../../core/suggest.ts';
import { addedOptOuts, withdrawnOptOuts } from '../../../jobs/outbox/store/opt-out-news.ts';
import { maskPhone } from '../../../observe/masking.ts';
import type { OPT_OUTS, OptOutEntry } from '../../contract/opt-outs.ts';
import { OperatorError } from '../../error.ts';
import { listOptOuts, type OptOutRow, optOutId } from '../../store/opt-outs.ts';
import { announcerOf } from '../announce.ts';
import type { Caller } from '../caller.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';
import { HIDDEN } from '../masking.ts';
import { badCursor, beforeId } from '../page.ts';
import { AHEAD, AHEAD_MS, countsOf, type Importing, importFile, importRows } from './import.ts';
import { optOutKey, rulesOf } from './number.ts';

export function optOutHandlers(deps: OperatorDeps): Handlers<keyof typeof OPT_OUTS> {
  const { db, config, now } = deps;
  const announce = announcerOf(deps);

  function requireAccount(account: string): void {
    const known = Object.keys(config().config.accounts);
    if (!known.includes(account))
      throw new UnknownNameError('account', account, suggestion(account, known, 'accounts'));
  }

  async function importing(
    account: string,
    country: string | undefined,
    dryRun: boolean,
    caller: Caller | null,
  ): Promise<Importing> {
    requireAccount(account);
    return { announce, account, rules: rulesOf(country), dryRun, by: identityOf(caller), now: await now() };
  }

  return {
    'GET /opt-outs': async ({ limit, before, unmask, ...filter }) => {
      if (filter.account !== undefined) requireAccount(filter.account);
      const rows = await listOptOuts(db, filter, { before: beforeId(before), limit: limit + 1 });
      return answerOf(rows, limit, unmask);
    },

    'POST /opt-outs/{account}': async ({ account, number, country, at, evidence = null }, caller) => {
      requireAccount(account);
      const key = await optOutKey(db, account, number, country);
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
      const key = await optOutKey(db, account, number, country);
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
      const { recorded, rejected } = await importRows(
        rows,
        await importing(account, country, dryRun, caller),
      );
      return { ...countsOf(recorded), rejected };
    },

    'POST /uploads/{upload}/opt-outs': async (
      { upload, account, number, time, evidence, country, offset, dateOrder, encoding, dryRun },
      caller,
    ) => {
      const { firstSync, expensive } = deps.tools;
      const how = await importing(account, country, dryRun, caller);
      const { path } = firstSync.find(upload);
      // Messages name the file without the folder of the server.
      const file = { path, baseDir: dirname(path), encoding };
      const columns = { number, time, evidence, offset, dateOrder };
      const answer = await expensive.run(how.by, () => importFile(file, columns, how));
      if (!dryRun) await firstSync.remove(upload);
      return answer;
    },

    'POST /opt-outs/{account}/export': async ({ account, source, since, state, limit, after }) => {
      requireAccount(account);
      if (after !== undefined && !/^\d{1,18}$/.test(after)) throw badCursor();
      const page = { after: after ?? null, limit: limit + 1 };
      return answerOf(await listOptOuts(db, { account, source, since, state }, page), limit, true);
    },
  };
}

function identityOf(caller: Caller | null): string {
  if (caller === null) throw new OperatorError('unauthenticated', 'log in first', { code: 'LOGIN_REQUIRED' });
  return caller.identity;
}

function answerOf(rows: readonly OptOutRow[], limit: number, unmask: boolean) {
  const { page, next } = pageOf(rows, limit, ({ id }) => String(id));
  return { optOuts: page.map((row) => entryOf(row, unmask)), next };
}

function entryOf({ key, evidence, ...row }: OptOutRow, unmask: boolean): OptOutEntry {
  const number = /^\d+$/.test(key) ? key : null;
  return {
    ...row,
    number: number === null ? null : unmask ? `+${number}` : maskPhone(number),
    evidence: evidence === null || unmask ? evidence : HIDDEN,
  };
}
