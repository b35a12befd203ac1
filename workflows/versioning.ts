// Which version of the code continues a run, for workers that have a deployment version (SLUICE_DEPLOYMENT). Workflow types
// without `pinned` go on with the current version: they run for days or never end, or they only wait for such a run, and nobody
// keeps old workers for this long.
import { workflowInfo } from '@temporalio/workflow';

/**
 * For types that end within hours: on a versioned worker, each run ends on the code that it began with. Temporal refuses the
 * answer of a worker without a version that names a behavior. Such a worker has a build id of the SDK, but no deployment.
 */
export function pinned(): { versioningBehavior?: 'PINNED' } {
  return workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {};
}
