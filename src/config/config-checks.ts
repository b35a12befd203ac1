// Checks by callers, for parts of the configuration whose rules need more than the configuration.
import type { CheckProblem } from '../core/config/checks.ts';
import type { CheckCampaign } from '../jobs/campaigns/checks/campaigns.ts';
import type { RouteChecks } from '../jobs/events/check-routes.ts';
import type { MappingConfig } from '../mapping/config.ts';

export interface ConfigChecks extends RouteChecks {
  /** Called once per mapping, presets included. */
  readonly checkMapping?: (mapping: MappingConfig) => readonly CheckProblem[];
  /** Called once per account with its `assumptions`. */
  readonly checkAssumptions?: (assumptions: Record<string, unknown>) => readonly CheckProblem[];
  /** Called once per JSON Schema of a route, schema files included. */
  readonly checkSchema?: (schema: Record<string, unknown>) => readonly CheckProblem[];
  /** Called once per campaign that has a valid shape. */
  readonly checkCampaign?: CheckCampaign;
}
