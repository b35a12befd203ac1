// Who a campaign reaches and leaves out, as operators read it: names and spans, and no text that may be about a person.
import type { CampaignConfig } from '../config.ts';
import type { CampaignRules } from '../contract/campaigns.ts';

type Part = CampaignConfig['audience'][number];

/** Filters whose value may be a name, a number or an address of a person. `from` stands beside the filters. */
const HIDDEN: ReadonlySet<string> = new Set(['from', 'search', 'email', 'title', 'number', 'contact']);

export function partOf(part: Part): CampaignRules['parts'][number] {
  const filters = Object.entries(part)
    .filter(([name, value]) => !HIDDEN.has(name) && value !== undefined)
    .map(([name, value]) => ({ name, value: textOf(value) }));
  return { from: part.from, filters };
}

export function excludedBy({ exclude }: CampaignConfig): CampaignRules['exclude'] {
  const { tags = [], campaigns = [], contactedWithin = null, numbers } = exclude;
  return {
    tags: tags.map(String),
    campaigns,
    contactedWithin,
    numbers: numbers !== undefined,
    openConversation: exclude.openConversation,
    humanService: exclude.humanService,
  };
}

/** `['a', 'b']`: `a, b`. `{ after: '90d' }`: `after 90d`. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${textOf(inner)}`)
    .join(', ');
}
