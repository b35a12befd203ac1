// Public exports of the configuration.

export type { CheckProblem } from '../core/config/checks.ts';
export * from '../core/config/errors.ts';
export { checkWithSchema } from './checks/check-schema.ts';
export type { ConfigChecks } from './config-checks.ts';
export { configJsonSchema } from './json-schema.ts';
export {
  type LoadedConfig,
  type LoadOptions,
  loadConfig,
} from './load.ts';
export { resolveSecret } from './secrets.ts';
