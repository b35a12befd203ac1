// What each test of an audience starts with: an empty ledger, a service to bend, and plans of campaigns.
import { afterEach, beforeEach } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import {
  type AudienceContext,
  type ContextOptions,
  openAudienceContext,
} from './audience/audience-context.ts';
import { type Lists, openLists } from './audience/lists-service.ts';

/** Created for each test of the file. */
export function planningContext() {
  let opened: AudienceContext[] = [];
  const context = {
    db: null as unknown as Database,
    service: null as unknown as Lists,

    open(over: Partial<ContextOptions> = {}): AudienceContext {
      const plans = openAudienceContext({ db: context.db, baseUrl: context.service.baseUrl, ...over });
      opened.push(plans);
      return plans;
    },
  };
  // The first one of a process starts its database: seconds, where the machine is busy.
  beforeEach(async () => {
    context.db = await testLedger();
    context.service = await openLists();
    opened = [];
  });
  afterEach(async () => {
    for (const plans of opened) await plans.close();
    await context.service.close();
  });
  return context;
}
