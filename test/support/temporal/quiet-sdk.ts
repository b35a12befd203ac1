// The SDK logs each refused call as a warning; in tests refusals are the point, so only errors are shown.
import { DefaultLogger, Runtime } from '@temporalio/worker';

// Files of one process share the runtime, and it ends by itself with the last connection: a second one is refused.
// The SDK has no public way to ask whether there is one.
const { _instance: there } = Runtime as unknown as { readonly _instance?: Runtime };
if (there === undefined) {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
  });
}
