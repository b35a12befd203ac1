// Public exports of the configuration.
export { checkWithSchema } from './checks/check-schema.ts';
export type { CheckProblem, ConfigChecks } from './checks/config-checks.ts';
export * from './errors.ts';
export { configJsonSchema } from './json-schema.ts';
export {
  type LoadedConfig,
  type LoadOptions,
  loadConfig,
} from './load.ts';
export { resolveSecret } from './secrets.ts';
