// Checks of a configuration that only the modules concerned can make.

import { type CheckProblem, type ConfigChecks, checkWithSchema } from '../config/index.ts';
import {
  compileAudience,
  compileExcludedNumbers,
  excludedKeys,
} from '../jobs/campaigns/rules/audience-row.ts';
import { RouteConfigError } from '../jobs/events/ingress/route/errors.ts';
import { compileSchema } from '../jobs/events/ingress/route/schema.ts';
import { compileAction } from '../jobs/events/rules/actions.ts';
import { Columns } from '../mapping/columns.ts';
import { compileMapping, MappingConfigError, sharedJsonata } from '../mapping/index.ts';
import { ASSUMPTIONS_SCHEMA } from '../service/api-client/assumptions.ts';

export const CONFIG_CHECKS: ConfigChecks = {
  checkMapping: (mapping) => problemsOf(() => compileMapping(mapping)),
  checkAssumptions: checkWithSchema(ASSUMPTIONS_SCHEMA),
  // Problems of a lead's mapping are reported at the mapping.
  checkAction: (action, mapping) =>
    problemsOf(() => compileAction(action, mapping)).filter(({ path }) => path[0] !== 'mapping'),
  checkPath: (path) => problemsOf(() => new Columns().add(path, [])),
  checkSchema: (schema) =>
    problemsOf(() => compileSchema('', schema)).map(({ path, message }) => ({
      path: path.slice(1),
      message,
    })),
  checkCampaign: (campaign) => {
    const { numbers } = campaign.exclude;
    const jsonata = sharedJsonata();
    const problems = [
      ...campaign.audience.flatMap((part) => problemsOf(() => compileAudience(campaign, part, jsonata))),
      ...problemsOf(() =>
        numbers === undefined || Array.isArray(numbers)
          ? excludedKeys(campaign)
          : compileExcludedNumbers(campaign, numbers, jsonata),
      ),
    ]
      // Another check reports a stage without its pipeline.
      .filter(({ path }) => path.at(-1) !== 'stage')
      .map(({ path, message }) => ({ path: inLists(campaign, path), message }));
    // Variables are compiled with each part of the audience; they are wrong once.
    const print = ({ path, message }: CheckProblem) => JSON.stringify([path, message]);
    return [...new Map(problems.map((problem) => [print(problem), problem])).values()];
  },
};

/** A path whose steps into lists are numbers, as those of the file are. */
function inLists(value: unknown, path: CheckProblem['path']): CheckProblem['path'] {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null) return path;
  const inner: unknown = (value as Record<string, unknown>)[step];
  return [Array.isArray(value) ? Number(step) : step, ...inLists(inner, rest)];
}

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
