// The audit log says everything in words: each action that it may have is a sentence in each language.
import { expect, it } from 'vitest';
import en from '../../../src/console/i18n/en/audit.ts';
import type { Endpoint } from '../../../src/core/endpoint.ts';
import { ENDPOINTS, type Route } from '../../../src/operator/contract/index.ts';

/** Actions that are no audited endpoints. */
const OTHERS = [
  'reveal',
  'login with OpenID',
  'approval removed',
  'POST /login',
  'POST /login/code',
  'POST /session/claim',
];

const audited = (Object.entries(ENDPOINTS) as [Route, Endpoint][])
  .filter(([route, { reads, audited: isAudited, searches, role }]) => {
    if (route.startsWith('GET ') || role === 'anyone') return false;
    return reads !== true || isAudited === true || searches !== undefined;
  })
  .map(([route]) => route);

it('has a sentence for every audited action, and for no other', () => {
  expect(Object.keys(en.did).sort()).toEqual([...audited, ...OTHERS].sort());
});

it.each(Object.entries(en.did))('%s names only what the line has', (action, sentence) => {
  const endpoint = (ENDPOINTS as Readonly<Record<string, Endpoint>>)[action];
  const inPath = [...action.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const known = new Set([...inPath, ...(endpoint?.audit ?? []), ...(endpoint?.auditOutput ?? []), 'target']);
  const named = [...sentence.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
