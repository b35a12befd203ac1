// Checks of a configuration that only the rooms concerned can make.
import { ASSUMPTIONS_SCHEMA } from '../api-client/assumptions.ts';
import { type CheckProblem, type ConfigChecks, checkWithSchema } from '../config/index.ts';
import { RouteConfigError } from '../ingress/route/errors.ts';
import { compileSchema } from '../ingress/route/schema.ts';
import { compileAction } from '../mapping/actions.ts';
import { Columns } from '../mapping/columns.ts';
import { compileMapping, MappingConfigError } from '../mapping/index.ts';

export const CONFIG_CHECKS: ConfigChecks = {
  checkMapping: (mapping) => problemsOf(() => compileMapping(mapping)),
  checkAssumptions: checkWithSchema(ASSUMPTIONS_SCHEMA),
  // What is wrong with the mapping of a lead is told where the mapping stands.
  checkAction: (action, mapping) =>
    problemsOf(() => compileAction(action, mapping)).filter(({ path }) => path[0] !== 'mapping'),
  checkPath: (path) => problemsOf(() => new Columns().add(path, [])),
  checkSchema: (schema) =>
    problemsOf(() => compileSchema('', schema)).map(({ path, message }) => ({
      path: path.slice(1),
      message,
    })),
};

function problemsOf(compile: () => unknown): CheckProblem[] {
  try {
    compile();
    return [];
  } catch (error) {
    if (error instanceof MappingConfigError || error instanceof RouteConfigError) {
      return [{ path: error.path, message: error.problem }];
    }
    throw error;
  }
}
