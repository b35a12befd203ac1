// Checks that a campaign's expressions read what its audience has: cards have {card, contact}, contacts and members
// from the ledger {contact}, and rows of a source their own columns.

import type { Say } from '../../../core/config/checks.ts';
import type { ConfigProblem } from '../../../core/config/errors.ts';
import { child, isRecord } from '../../../core/config/raw.ts';

const ROOTS: Readonly<Record<string, readonly string[]>> = {
  cards: ['card', 'contact'],
  contacts: ['contact'],
  ledger: ['contact'],
};

/** One part with the value is enough: if several parts find a person, each adds what the others lack. */
export function checkVariables(campaign: unknown, say: Say): ConfigProblem[] {
  const audience = child(campaign, 'audience');
  const froms = (Array.isArray(audience) ? audience : []).map((part: unknown) => child(part, 'from'));
  const known = froms.map((from) =>
    typeof from === 'string' && Object.hasOwn(ROOTS, from) ? ROOTS[from] : undefined,
  );
  if (known.length === 0 || known.includes(undefined)) return [];
  const roots = [...new Set(known.flatMap((each) => each ?? []))].sort();
  const has = roots.length === 1 ? 'contact.… only' : 'card.… and contact.… only';
  const blind = (expression: unknown) => isBlind(rootsOf(expression), roots);
  const variables = child(campaign, 'variables');
  const field = child(child(child(campaign, 'windows'), 'zone'), 'field');
  return [
    ...Object.entries(isRecord(variables) ? variables : {}).flatMap(([name, expression]) =>
      blind(expression)
        ? [
            say(
              ['variables', name],
              `nobody has it, so everybody would be excluded: this audience has ${has}`,
              'use contact.name, for example, or set a default',
            ),
          ]
        : [],
    ),
    ...(blind(field)
      ? [
          say(
            ['windows', 'zone', 'field'],
            `nobody has it: this audience has ${has}`,
            'use a field of the contact, or write zone: number',
          ),
        ]
      : []),
  ];
}

function isBlind(roots: readonly string[] | null, known: readonly string[]): boolean {
  return roots !== null && roots.length > 0 && !roots.some((root) => known.includes(root));
}

/** First steps of the paths that an expression reads. Null: it can have a value without them, or they are unknown. */
function rootsOf(expression: unknown): readonly string[] | null {
  if (typeof expression === 'string') {
    if (expression.startsWith('=')) return null;
    if (!expression.includes('{{')) return [rootOf(expression)];
    return [...expression.matchAll(/\{\{(.*?)\}\}/gs)].map(([, path = '']) => rootOf(path.trim()));
  }
  if (Array.isArray(expression)) {
    const all = expression.map(rootsOf);
    return all.includes(null) ? null : all.flatMap((roots) => roots ?? []);
  }
  if (!isRecord(expression) || expression.default !== undefined) return null;
  return rootsOf(expression.path ?? expression.template ?? expression.first);
}

function rootOf(path: string): string {
  return path.split('.')[0] ?? '';
}
