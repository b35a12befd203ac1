// What the tests of routes begin with, and how they report what is wrong.
import { expect, it } from 'vitest';
import { CONFIG_CHECKS } from '../../../src/app/config-checks.ts';
import { configContext } from './context.ts';

export const GOOD = `version: 1
accounts:
  acme: { baseUrl: http://127.0.0.1:4010/wapi, tokens: [env:ACME_TOKEN] }
mappings:
  people: { contact: { number: phone } }
ingress:
  http: { port: 4020 }
  kafka:
    bus: { brokers: [kafka:9092], tls: true, deadLetters: dead }
routes:
  leads:
    account: acme
    http:
      path: /events/leads
      auth: { type: token, secrets: [env:TOKEN] }
    kafka: { cluster: bus, topics: [leads] }
    action: { type: lead, mapping: people }
  paid:
    account: acme
    http: { path: /events/paid, auth: { type: hmac, style: github, secrets: [env:S] } }
    action: { type: message, number: phone, text: text }
`;
export type Case = [name: string, from: string, to: string, expected: string[]];

/** Call it once, at the top of a test file. */
export function routeContext() {
  const context = configContext();
  const problemsOf = (text: string) => context.problemsOf(text, CONFIG_CHECKS);
  return {
    context,
    load: (text: string) => context.load(text, CONFIG_CHECKS),
    problemsOf,
    /** One test a case: each line of `expected` is a whole message, with its place. */
    report(cases: Case[]) {
      it.each(cases)('%s', async (_name, from, to, expected) => {
        expect(GOOD).toContain(from);
        expect(await problemsOf(GOOD.replace(from, () => to))).toEqual(expected);
      });
    },
  };
}
