// Checks that the campaigns of an account can reach anybody: their connections, names and scopes. It uses reads that
// the doctor makes anyway.

import type { Scope } from '../../core/scopes.ts';
import { pick } from '../../core/store/catalog.ts';
import { suggestion } from '../../core/suggest.ts';
import type { CampaignConfig, OptOutConfig } from '../../jobs/campaigns/config.ts';
import { connectionProblems, connectionWarnings } from '../../jobs/campaigns/rules/plan-notes.ts';
import type { Connection, Listing, Pipeline, Tag } from '../../service/api-client/index.ts';
import type { Findings } from './findings.ts';

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
    for (const { reason } of problems) findings.problem(`${at}.connection`, reason);
    for (const { reason } of warnings) findings.warning(`${at}.connection`, reason);
    if (problems.length + warnings.length === 0)
      findings.ok(`${at}.connection`, `${config.connection} can run flows`);
    checkAll(`${at}: tag`, tagsOf(config), reads.tags, 'tags', findings);
    checkAll(`${at}: pipeline`, pipelinesOf(config), reads.pipelines, 'pipelines', findings);
    findings.unchecked(
      `${at}.flow`,
      `whether flow ${config.flow} is active and published, and the token has ${writesOf(config).join(', ')}: only a trigger shows it; check in the panel`,
    );
  }
  if (Object.keys(campaigns).length > 0)
    checkAll(`accounts.${account}.optOut: tag`, optOut.tags, reads.tags, 'tags', findings);
}

function checkAll(
  check: string,
  wanted: readonly (string | number)[],
  read: Listing<{ readonly id: number; readonly name: string }> | null,
  kind: string,
  findings: Findings,
): void {
  if (wanted.length === 0) return;
  if (read === null) {
    findings.unchecked(check, `the ${kind} could not be read`);
    return;
  }
  for (const one of new Set(wanted)) {
    const found = pick(read.items, one);
    if (found !== null) findings.ok(check, `"${found.name}" (${found.id})`);
    else
      findings.problem(check, `the account has none called ${JSON.stringify(one)}`, {
        hint: suggestion(
          String(one),
          read.items.map(({ name }) => name),
          kind,
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
