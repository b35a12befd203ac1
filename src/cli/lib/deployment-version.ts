// The version of a worker for Temporal, from SLUICE_DEPLOYMENT and SLUICE_BUILD_ID. docs/how-to/upgrade.md explains what
// versions are for.
import type { WorkerDeploymentVersion } from '@temporalio/common';
import { CliError, EXIT } from './exit.ts';

// Temporal writes a version as DEPLOYMENT.BUILD, so a deployment has no dot.
const DEPLOYMENT = /^[\w-]{1,100}$/;
const BUILD = /^[\w.+-]{1,100}$/;

/**
 * @returns null if neither variable is set
 * @throws CliError (usage) if only one is set, or if Temporal's command line could not name the version
 */
export function deploymentVersionOf(env: NodeJS.ProcessEnv): WorkerDeploymentVersion | null {
  const { SLUICE_DEPLOYMENT: deploymentName, SLUICE_BUILD_ID: buildId } = env;
  if (!deploymentName && !buildId) return null;
  if (!deploymentName) throw refused('SLUICE_BUILD_ID is set without SLUICE_DEPLOYMENT; set both, or none');
  if (!buildId) throw refused('SLUICE_DEPLOYMENT is set without SLUICE_BUILD_ID; set both, or none');
  if (!DEPLOYMENT.test(deploymentName))
    throw refused(
      `SLUICE_DEPLOYMENT is "${deploymentName}"; use 1 to 100 letters, digits, hyphens and underscores`,
    );
  if (!BUILD.test(buildId))
    throw refused(
      `SLUICE_BUILD_ID is "${buildId}"; use 1 to 100 letters, digits, dots, plus signs, hyphens and underscores`,
    );
  return { deploymentName, buildId };
}

function refused(message: string): CliError {
  return new CliError(EXIT.usage, message);
}
