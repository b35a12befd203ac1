// One Temporal dev server for the whole test run, in a folder under the temp dir; only projects with this setup pay for it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { freePort } from '../../../src/core/net/ports.ts';
import { cacheDirOf } from '../../../src/temporal/cache-dir.ts';
import { startTemporal, type TemporalServer } from '../../../src/temporal/temporal-server.ts';
import { guard } from '../guard.ts';
import { openKafkaPool, POOL_VARIABLE } from '../kafka/kafka-pool.ts';
import { buildOnce } from './build.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** host:port of the shared Temporal server. */
    temporalAddress: string;
    /** The workflow code, bundled from the sources as they were when the run began. */
    workflowBundlePath: string;
  }
}

interface Shared {
  users: number;
  readonly ready: Promise<{ server: TemporalServer; close(): Promise<void> }>;
  readonly bundle: Promise<string>;
  readonly kafka: ReturnType<typeof openKafkaPool>;
}

// Vitest runs this file once a project, each time as a new module; the projects of one run meet in the process.
const KEY = Symbol.for('sluice.test.temporal');
const meeting = globalThis as { [KEY]?: Shared | undefined };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  meeting[KEY] ??= {
    users: 0,
    ready: start(),
    bundle: buildOnce().then((dist) => join(dist, 'workflow-bundle.js')),
    kafka: openKafkaPool(),
  };
  const shared = meeting[KEY];
  shared.users += 1;
  const { server, close } = await shared.ready;
  project.provide('temporalAddress', server.address);
  project.provide('workflowBundlePath', await shared.bundle);
  const kafka = await shared.kafka;
  // Not provided like the others: benches start brokers with the same code, without vitest.
  process.env[POOL_VARIABLE] = kafka.url;
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    meeting[KEY] = undefined;
    await Promise.all([close(), kafka.close()]);
  };
}

async function start(): Promise<{ server: TemporalServer; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-temporal-'));
  try {
    const server = await startTemporal({
      stateDir: folder,
      env: process.env,
      cacheDir: cacheDirOf(process.env),
      say: (line) => console.error(line),
      // Not the usual port: tests of the server itself want it, and so does a developer's own one.
      port: await freePort(),
      dynamicConfig: [
        // 4,096 by default: lowered, so that a test of some hundred events passes through continue-as-new.
        'limit.historyCount.suggestContinueAsNew=300',
      ],
    });
    const standDown = guard({ pid: server.pid, folder });
    return {
      server,
      close: async () => {
        await server.stop();
        await rm(folder, { recursive: true, force: true });
        await standDown();
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
