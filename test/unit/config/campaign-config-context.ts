// A right configuration with campaigns, of which tests change one place.
import { expect, it } from 'vitest';
import { configContext } from './context.ts';

export const GOOD = `version: 1
accounts:
  acme:
    baseUrl: http://127.0.0.1:4010/wapi
    tokens: [env:ACME_TOKEN]
    timeZone: America/Sao_Paulo
    optOut: { tags: [leave-me], words: [sair] }
  other: { baseUrl: http://127.0.0.1:4010/wapi, tokens: [env:T], timeZone: Europe/Lisbon }
sources:
  list: { type: csv, path: list.csv }
mappings:
  people: { contact: { number: phone } }
syncs:
  leads: { account: acme, source: list, mapping: people }
  theirs: { account: other, source: list, mapping: people }
pollers:
  inbox: { account: acme, connection: 1 }
campaigns:
  back:
    account: acme
    flow: 3
    connection: 1
    variables: { first_name: contact.name }
    audience:
      - { from: cards, status: [lost], closed: { after: 90d, before: 30d } }
      - { from: source, source: list, number: phone }
      - { from: ledger, createdBy: leads, silentFor: 60d }
      - { from: ledger, campaign: { name: back, replied: false } }
    exclude: { campaigns: [back], numbers: { source: list, number: phone } }
    start: 2026-12-01T09:00:00-03:00
    end: 2026-12-23T18:00:00-03:00
    windows:
      days: { mon: [09:00-12:00, 14:00-18:00], sat: [22:00-02:00] }
      holidays: [2026-12-08, 02-29]
    waves: { canary: 20, size: [50, 100], settle: 1h }
    stop: { failed: 0.1, replies: 0.01, optOut: 0.02 }
    humanService: { retryAfter: 2h }
    after: { tags: [reached] }
  abroad:
    account: other
    flow: 1
    connection: 1
    audience: [{ from: contacts, channel: whatsapp }]
    windows: { days: { mon: [00:00-24:00] } }
`;

export const NOW = new Date('2026-11-22T12:00:00Z');

export type Case = [name: string, from: string, to: string, expected: string[]];

/** Call it once, at the top of a test file. */
export function campaignConfigContext() {
  const context = configContext();
  return {
    ...context,
    /** The file, with one place changed, has exactly these problems. */
    report(cases: Case[]): void {
      it.each(cases)('%s', async (_name, from, to, expected) => {
        expect(GOOD).toContain(from);
        const found = await context.problemsOf(GOOD.replace(from, () => to));
        expect(found.map((problem) => problem.replace(/^sluice\.yaml:\d+:\d+ {2}/, ''))).toEqual(expected);
      });
    },
  };
}
