// Types that the loader and the checks share: checks of callers, and how a check reports a problem.
import type { CampaignConfig, MappingConfig, RouteAction } from '../../contracts/config/config.ts';
import type { ConfigProblem } from '../errors.ts';

/** A problem inside a value that the caller knows more about; `path` is relative to that value. */
export interface CheckProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
}

/** Checks by callers, for parts of the configuration whose rules live in other folders. */
export interface ConfigChecks {
  /** Called once per mapping, presets included. */
  readonly checkMapping?: (mapping: MappingConfig) => readonly CheckProblem[];
  /** Called once per account with its `assumptions`. */
  readonly checkAssumptions?: (assumptions: Record<string, unknown>) => readonly CheckProblem[];
  /** Called once per route whose action has a valid shape. Only a lead has a mapping. */
  readonly checkAction?: (action: RouteAction, mapping: MappingConfig | null) => readonly CheckProblem[];
  /** Called with `key` and `order` of each route: dot-paths. */
  readonly checkPath?: (path: string) => readonly CheckProblem[];
  /** Called once per JSON Schema of a route, schema files included. */
  readonly checkSchema?: (schema: Record<string, unknown>) => readonly CheckProblem[];
  /** Called once per campaign that has a valid shape. */
  readonly checkCampaign?: (campaign: CampaignConfig) => readonly CheckProblem[];
}

/** Makes the problem at a path inside the entry or section under check. */
export type Say = (path: readonly (string | number)[], message: string, hint: string) => ConfigProblem;
