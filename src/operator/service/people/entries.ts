// Turns rows of a timeline into entries of the contract: masks personal data, and names the workflow.
import {
  campaignIdentity,
  crmSyncWorkflowId,
  deliveryWorkflowId,
  parseCampaignRunId,
  pollingIdentity,
} from '../../../core/ids.ts';
import { redactText } from '../../../core/redaction.ts';
import { memberCase } from '../../../jobs/campaigns/rules/member-case.ts';
import { maskValue } from '../../../observe/masking.ts';
import type { TimelineEntry } from '../../contract/people-timeline.ts';
import type { TimelineRow } from '../../store/people/timeline.ts';

type Facts = Readonly<Record<string, unknown>>;

/** The dispatcher checks the entry against the contract and drops what is not in it. */
export function entryOf(account: string, row: TimelineRow, unmask: boolean): TimelineEntry {
  const { id, at, kind, code, facts } = row;
  const shown = withCase(unmask ? facts : masked(facts), facts['problem']);
  return {
    ...shown,
    id,
    at,
    kind,
    code,
    account,
    workflow: workflowOf(account, kind, facts),
  } as TimelineEntry;
}

/** Says also which case the reason of a campaign is. */
function withCase(shown: Facts, problem: unknown): Facts {
  const { code = null, reason = null } = (problem ?? {}) as { code?: string | null; reason?: string | null };
  const params = memberCase(code, reason);
  return params === undefined ? shown : { ...shown, problem: { ...(shown['problem'] as Facts), params } };
}

function masked(facts: Facts): Facts {
  const field = String(facts.field ?? '');
  const hide: Readonly<Record<string, (value: unknown) => unknown>> = {
    value: (value) => maskValue(field, String(value)),
    otherValue: (value) => maskValue(field, String(value)),
    lastMessage: () => null,
    reason: (value) => redactText(String(value)),
    problem: maskedProblem,
  };
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      value === null ? null : (hide[name]?.(value) ?? (name in hide ? null : value)),
    ]),
  );
}

/** Reasons name fields, but the service may quote a number. */
export function maskedProblem(value: unknown): unknown {
  const { code, reason } = value as { code: string; reason: string };
  return { code, reason: redactText(reason) };
}

function workflowOf(account: string, kind: string, facts: Facts): string | null {
  const text = (name: string) => (typeof facts[name] === 'string' ? facts[name] : null);
  switch (kind) {
    case 'event':
      return text('workflowId');
    case 'row':
    case 'finding':
    case 'call':
    case 'effect':
    case 'campaign':
      return ofRun(account, text('run') ?? '');
    case 'delivery':
      return deliveryWorkflowId(account);
    default: {
      const poller = text('poller');
      return poller === null ? null : pollingIdentity({ account, poller }).workflowId;
    }
  }
}

/** Runs of routes belong to many workflows. */
function ofRun(account: string, run: string): string | null {
  const campaign = parseCampaignRunId(run);
  if (campaign !== null) return campaignIdentity(campaign).workflowId;
  const [, name = ''] = run.split('/');
  if (name.startsWith('~')) return pollingIdentity({ account, poller: name.slice(1) }).workflowId;
  return /^[\p{L}\p{N}]/u.test(name) ? crmSyncWorkflowId(account, name) : null;
}
