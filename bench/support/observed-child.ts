// A worker process with or without metrics, as METRICS=on or off says: a worker of users always counts.

import { startStack } from '../../src/app/stack.ts';
import { openAdmin } from '../../src/cli/lib/connect/admin.ts';
import { runCommand, say, stopRequested } from '../../src/cli/lib/connect/lifetime.ts';
import { openConfig } from '../../src/cli/lib/connect/session.ts';
import { openLog, openServiceLog } from '../../src/cli/lib/log.ts';

const { env, argv } = process;
const valueOf = (flag: string) => argv[argv.indexOf(flag) + 1] as string;

process.exitCode = await runCommand(
  async (shutdown) => {
    const config = await openConfig(valueOf('--config'), env);
    const stateDir = valueOf('--state');
    const counts = env.METRICS === 'on';
    const { log, readSdkMetrics } = counts
      ? await openServiceLog('worker', env, 'warn', shutdown)
      : { log: openLog('worker', env, 'warn', shutdown), readSdkMetrics: undefined };
    const { admin: where } = config.config;
    const admin = counts
      ? await openAdmin({ process: 'worker', admin: where, env, log, shutdown, readSdkMetrics })
      : undefined;
    const { failed } = await startStack({ config, stateDir, env, log, say, shutdown, admin });
    admin?.started();
    say('ready for the bench');
    await Promise.race([stopRequested(shutdown), failed]);
    return 0;
  },
  { staysUp: true },
);
