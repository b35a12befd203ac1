// The SDK logs each refused call as a warning; in tests refusals are the point, so only errors are shown.
import { DefaultLogger, Runtime } from '@temporalio/worker';

// Files of one process share the runtime, and it ends by itself with the last connection: a second one is refused.
if ((Runtime as unknown as { _instance?: Runtime })._instance === undefined) {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
  });
}
