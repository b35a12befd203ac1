import { expect, it } from 'vitest';
import { deploymentVersionOf } from '../../../../src/cli/lib/deployment-version.ts';

it.each([{}, { SLUICE_DEPLOYMENT: '', SLUICE_BUILD_ID: '' }])('a worker has no version with %j', (env) => {
  expect(deploymentVersionOf(env)).toBeNull();
});

it.each([
  ['sluice', '0.2.0'],
  ['crm_sync-1', '1.2.3+x'],
  ['a', '3f1c2a9b8d7e'],
  ['x'.repeat(100), 'y'.repeat(100)],
])('a worker of the deployment %s has the build id %s', (deploymentName, buildId) => {
  const env = { SLUICE_DEPLOYMENT: deploymentName, SLUICE_BUILD_ID: buildId };
  expect(deploymentVersionOf(env)).toEqual({ deploymentName, buildId });
});

it.each([
  [{ SLUICE_BUILD_ID: 'x' }, 'without SLUICE_DEPLOYMENT; set both'],
  [{ SLUICE_DEPLOYMENT: 'a' }, 'without SLUICE_BUILD_ID; set both'],
  [{ SLUICE_DEPLOYMENT: 'a', SLUICE_BUILD_ID: '' }, 'without SLUICE_BUILD_ID; set both'],
  // Temporal would read the rest as the build id.
  [{ SLUICE_DEPLOYMENT: 'a.b', SLUICE_BUILD_ID: '1' }, 'SLUICE_DEPLOYMENT is "a.b"'],
  [{ SLUICE_DEPLOYMENT: 'a b', SLUICE_BUILD_ID: '1' }, 'SLUICE_DEPLOYMENT is "a b"'],
  [{ SLUICE_DEPLOYMENT: 'x'.repeat(101), SLUICE_BUILD_ID: '1' }, '1 to 100'],
  [{ SLUICE_DEPLOYMENT: 'a', SLUICE_BUILD_ID: 'b\nc' }, 'SLUICE_BUILD_ID is'],
  [{ SLUICE_DEPLOYMENT: 'a', SLUICE_BUILD_ID: 'sha256:1' }, 'SLUICE_BUILD_ID is "sha256:1"'],
])('refuses %j', (env, message) => {
  expect(() => deploymentVersionOf(env)).toThrow(expect.objectContaining({ exitCode: 2 }));
  expect(() => deploymentVersionOf(env)).toThrow(message);
});
