// What other folders may take from the configuration.
export { checkWithSchema } from './checks/check-schema.ts';
export * from './errors.ts';
export { configJsonSchema } from './json-schema.ts';
export {
  type CheckProblem,
  type ConfigChecks,
  type LoadedConfig,
  type LoadOptions,
  loadConfig,
} from './load.ts';
export { resolveSecret } from './secrets.ts';
