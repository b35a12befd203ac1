// What a campaign's expressions look for where it can not be: cards have {card, contact}, contacts and people of the ledger
// {contact}, and a value that is missing for all of a part would leave all of it out.
import type { Say } from './check-campaigns.ts';
import type { ConfigProblem } from './errors.ts';
import { child } from './json-schema.ts';
import { isRecord } from './raw.ts';

const KNOWN: Readonly<Record<string, readonly [roots: readonly string[], who: string]>> = {
  cards: [['card', 'contact'], 'cards have card.… and contact.…'],
  contacts: [['contact'], 'contacts have contact.… only'],
  ledger: [['contact'], 'people of the ledger have contact.… only'],
};

export function checkVariables(campaign: unknown, say: Say): ConfigProblem[] {
  const audience = child(campaign, 'audience');
  const parts = (Array.isArray(audience) ? audience : []).flatMap((part: unknown, index) => {
    const from = child(part, 'from');
    const known = typeof from === 'string' && Object.hasOwn(KNOWN, from) ? KNOWN[from] : undefined;
    return known === undefined ? [] : [{ index, known }];
  });
  const variables = child(campaign, 'variables');
  const problems = Object.entries(isRecord(variables) ? variables : {}).flatMap(([name, expression]) => {
    const roots = rootsOf(expression);
    const lacking = parts.find(({ known: [names] }) => isBlind(roots, names));
    if (lacking === undefined) return [];
    const message = `nobody of audience[${lacking.index}] has it, and would be left out: ${lacking.known[1]}`;
    return [say(['variables', name], message, 'begin with contact. or card., or give it a default')];
  });
  const field = rootsOf(child(child(child(campaign, 'windows'), 'zone'), 'field'));
  // Rows of a source have columns of their own.
  const elsewhere = !Array.isArray(audience) || audience.length > parts.length;
  const [first] = parts;
  if (elsewhere || first === undefined || !parts.every(({ known: [names] }) => isBlind(field, names)))
    return problems;
  const message = `nobody of the audience has it: ${first.known[1]}`;
  return [
    ...problems,
    say(['windows', 'zone', 'field'], message, 'begin with contact. or card., or write number or account'),
  ];
}

function isBlind(roots: readonly string[] | null, known: readonly string[]): boolean {
  return roots !== null && roots.length > 0 && !roots.some((root) => known.includes(root));
}

/** First steps of the paths that an expression reads; null: it may have a value without any, or they can't be told. */
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
