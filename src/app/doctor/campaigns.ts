// Checks that the campaigns of an account can reach anybody: their connections, names and scopes. It uses reads that
// the doctor makes anyway.

import type { Scope } from '../../core/scopes.ts';
import { pick } from '../../core/store/catalog.ts';
import type { CampaignConfig, OptOutConfig } from '../../jobs/campaigns/config.ts';
import { connectionProblems, connectionWarnings } from '../../jobs/campaigns/rules/plan-notes.ts';
import type { Connection, Listing, Pipeline, Tag } from '../../service/api-client/index.ts';
import type { Findings } from './findings.ts';
import { quote, say, suggest } from './say.ts';

export interface CampaignReads {
  /** Null: could not be read. */
  readonly connections: Listing<Connection> | null;
  readonly tags: Listing<Tag> | null;
  readonly pipelines: Listing<Pipeline> | null;
}

export type Campaigns = Readonly<Record<string, CampaignConfig>>;

/** Scopes that planning a campaign needs. {@link checkCampaigns} reports those that only a trigger shows. */
export function readScopes(campaigns: Campaigns): Set<Scope> {
  const all = Object.values(campaigns);
  return new Set<Scope>([
    ...all.map(() => 'connections:read' as const),
    ...all.flatMap((campaign) => (tagsOf(campaign).length > 0 ? ['contacts:read' as const] : [])),
    ...all.flatMap(({ audience, after }) => [
      ...audience.flatMap(({ from }) =>
        from === 'cards' ? ['cards:read' as const] : from === 'contacts' ? ['contacts:read' as const] : [],
      ),
      ...(after.stage === undefined ? [] : ['cards:read' as const]),
    ]),
  ]);
}

/** @param account its name */
export function checkCampaigns(
  account: string,
  campaigns: Campaigns,
  optOut: OptOutConfig,
  reads: CampaignReads,
  findings: Findings,
): void {
  const connections = reads.connections?.items ?? null;
  for (const [name, config] of Object.entries(campaigns)) {
    const at = `campaigns.${name}`;
    const facts = { account, config, connections };
    const [problems, warnings] = [connectionProblems(facts), connectionWarnings(facts)];
    for (const { code, reason, params } of problems)
      findings.problem(`${at}.connection`, quote(code, reason, params));
    for (const { code, reason, params } of warnings)
      findings.warning(`${at}.connection`, quote(code, reason, params));
    if (problems.length + warnings.length === 0)
      findings.ok(`${at}.connection`, say('CHECK_CAMPAIGN', { connection: String(config.connection) }));
    checkAll(`${at}: tag`, tagsOf(config), reads.tags, 'FIX_TAGS', findings);
    checkAll(`${at}: pipeline`, pipelinesOf(config), reads.pipelines, 'FIX_PIPELINES', findings);
    findings.unchecked(
      `${at}.flow`,
      say('CHECK_CAMPAIGN_FLOW', { flow: String(config.flow), scopes: writesOf(config) }),
    );
  }
  if (Object.keys(campaigns).length > 0)
    checkAll(`accounts.${account}.optOut: tag`, optOut.tags, reads.tags, 'FIX_TAGS', findings);
}

function checkAll(
  check: string,
  wanted: readonly (string | number)[],
  read: Listing<{ readonly id: number; readonly name: string }> | null,
  list: 'FIX_TAGS' | 'FIX_PIPELINES',
  findings: Findings,
): void {
  if (wanted.length === 0) return;
  if (read === null) {
    findings.unchecked(check, say(list === 'FIX_TAGS' ? 'CHECK_TAGS_UNREAD' : 'CHECK_PIPELINES_UNREAD'));
    return;
  }
  for (const one of new Set(wanted)) {
    const found = pick(read.items, one);
    if (found !== null) findings.ok(check, say('CHECK_NAME', { name: found.name, id: String(found.id) }));
    else
      findings.problem(check, say('CHECK_NAME_NONE', { wanted: JSON.stringify(one) }), {
        hint: suggest(
          one,
          read.items.map(({ name }) => name),
          list,
        ),
      });
  }
}

function writesOf({ after }: CampaignConfig): Scope[] {
  return [
    'flows:trigger',
    ...(after.tags === undefined ? [] : ['contacts:write' as const]),
    ...(after.stage === undefined ? [] : ['cards:write' as const]),
  ];
}

function tagsOf({ audience, exclude, after }: CampaignConfig): string[] {
  const ofParts = audience.flatMap((part) => {
    if (part.from === 'cards') return [...(part.tags ?? []), ...(part.withoutTags ?? [])];
    return part.from === 'contacts' ? (part.tags ?? []) : [];
  });
  return [...ofParts, ...(exclude.tags ?? []), ...(after.tags ?? [])];
}

function pipelinesOf({ audience, after }: CampaignConfig): (string | number)[] {
  const ofParts = audience.flatMap((part) =>
    part.from === 'cards' && part.pipeline !== undefined ? [part.pipeline] : [],
  );
  return [...ofParts, ...(after.stage === undefined ? [] : [after.stage.pipeline])];
}
