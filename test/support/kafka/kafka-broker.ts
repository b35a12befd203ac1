// A real Kafka broker for tests and benches: one node, KRaft, on the loopback address, with its default of making topics on sight.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { freePort } from '../../../src/core/net/ports.ts';
import { cacheDirOf } from '../../../src/temporal/cache-dir.ts';
import { guard } from '../guard.ts';

export interface TestKafka {
  /** host:port */
  readonly brokers: string[];
  /** Sends lines with the broker's own `kafka-console-producer`; properties as it takes them, for example parse.headers=true. */
  produceByConsole(topic: string, lines: readonly string[], properties?: readonly string[]): Promise<void>;
  /** Kills the broker; the returned function starts it again on the same port, with what it had. */
  outage(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

const READY_MS = 60_000;
const run = promisify(execFile);

/**
 * A container when a Docker daemon answers, else the broker's own jars from Maven Central on this machine's Java. Version 4.1.1,
 * or the one in SLUICE_TEST_KAFKA. Null, with one line on stderr saying why, when there is neither.
 * The jars (43 MB) are fetched once.
 */
export async function startBroker(): Promise<TestKafka | null> {
  const version = process.env.SLUICE_TEST_KAFKA ?? '4.1.1';
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`SLUICE_TEST_KAFKA must be a version such as 3.9.1, not "${version}"`);
  return (await inContainer(version)) ?? (await onJava(version));
}

const say = (line: string) => console.error(`Kafka for tests: ${line}`);

/** Resolves when the broker answers; null from `gone` means that it still runs. */
async function untilReady(broker: string, gone: () => string | null): Promise<void> {
  const kafka = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING, retry: { retries: 0 } });
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const admin = kafka.admin();
    try {
      await admin.connect();
      await admin.listTopics();
      return;
    } catch (error) {
      const why = gone() ?? (Date.now() > deadline ? `no answer within ${READY_MS / 1000} s` : null);
      if (why !== null) throw new Error(`Kafka did not start: ${why}`, { cause: error });
      await delay(50);
    } finally {
      await admin.disconnect();
    }
  }
}

async function inContainer(version: string): Promise<TestKafka | null> {
  // In a network of its own a process cannot reach containers.
  if (process.env.SLUICE_TEST_CONTAINERS === 'off') return null;
  // Loaded only here: it takes 0.4 s.
  const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
  const runtime = await getContainerRuntimeClient().catch(() => null);
  if (runtime === null) return null;
  say(`a container of ${version}`);
  // The broker gives its address to clients, so the outside port must be known before it starts.
  const port = await freePort();
  const container = await new GenericContainer(`apache/kafka:${version}`)
    .withExposedPorts({ container: 9092, host: port })
    .withEnvironment({
      ...environmentOf(propertiesOf({ broker: 9092, controller: 9093, bind: '0.0.0.0' })),
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://127.0.0.1:${port}`,
      KAFKA_HEAP_OPTS: '-Xmx512m',
    })
    .start();
  const broker = `127.0.0.1:${port}`;
  await untilReady(broker, () => null);
  const handle = runtime.container.getById(container.getId());
  return {
    brokers: [broker],
    async outage() {
      await handle.kill();
      return async () => {
        await handle.start();
        await untilReady(broker, () => null);
      };
    },
    async produceByConsole(topic, lines, properties = []) {
      await container.copyContentToContainer([{ content: asLines(lines), target: '/tmp/lines' }]);
      const command = [
        '/opt/kafka/bin/kafka-console-producer.sh',
        ...consoleArguments('127.0.0.1:9092', topic, properties),
      ];
      const { exitCode, output } = await container.exec(['sh', '-c', `${command.join(' ')} < /tmp/lines`]);
      if (exitCode !== 0) throw new Error(`kafka-console-producer: ${output}`);
    },
    stop: async () => {
      await container.stop();
    },
  };
}

/** What a broker has beside the usual listener. */
export interface BrokerExtra {
  readonly properties: Readonly<Record<string, string>>;
  /** `NAME://host:port`, in the form of `listeners`. */
  readonly listeners: readonly string[];
  /** Arguments for the tool that formats its folder. */
  readonly format: readonly string[];
}

/** A broker with more listeners, on this machine's Java; null where there is none. */
export async function startBrokerWith(extra: BrokerExtra): Promise<TestKafka | null> {
  return await onJava(process.env.SLUICE_TEST_KAFKA ?? '4.1.1', extra);
}

async function onJava(version: string, extra?: BrokerExtra): Promise<TestKafka | null> {
  // The jars may be there from a time when Java was.
  const hasJava = await run('java', ['-version']).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      say('SKIPPED, no Docker daemon answers, and there is no Java');
      return false;
    },
  );
  const jarsDir = hasJava ? await fetchJars(version) : null;
  if (jarsDir === null) return null;
  for (let attempt = 1; ; attempt++) {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-kafka-'));
    try {
      const kafka = await startJava(jarsDir, folder, version, extra);
      say(`${version} on this machine's Java`);
      return kafka;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      // Somebody may take one of the ports between looking and listening.
      if (attempt === 3) throw error;
    }
  }
}

/** The folder with the jars, filled at the first call; null when there is no Java, no Maven or no way to the jars. */
async function fetchJars(version: string): Promise<string | null> {
  const folder = join(cacheDirOf(process.env), 'kafka-for-tests', `${version}-with-tools`);
  if (await has(folder)) return folder;
  await mkdir(join(folder, '..'), { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  try {
    say(`fetching the jars of ${version}`);
    await writeFile(join(draft, 'pom.xml'), pomOf(version));
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${join(draft, 'jars')}`];
    await run('mvn', ['-q', '-B', '-f', join(draft, 'pom.xml'), ...goal], { timeout: 300_000 });
    // In one step, and at the end: a folder of that name is a whole one. Another process may have been quicker.
    await rename(join(draft, 'jars'), folder).catch(async (error: Error) => {
      if (!(await has(folder))) throw error;
    });
    return folder;
  } catch (error) {
    const [why] = String((error as { stdout?: string }).stdout || (error as Error).message).split('\n');
    say(`SKIPPED, no Docker daemon answers, and the jars could not be had with Maven (${why})`);
    return null;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function has(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

function pomOf(version: string): string {
  // slf4j-simple shows on stderr what keeps the broker from starting.
  const jars = `<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>${version}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>`;
  return `<project><modelVersion>4.0.0</modelVersion><groupId>sluice</groupId><artifactId>kafka-for-tests</artifactId>
  <version>1</version><dependencies>${jars}</dependencies></project>`;
}

function propertiesOf(at: { broker: number; controller: number; bind: string }): Record<string, string> {
  return {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${at.controller}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://${at.bind}:${at.broker},CONTROLLER://127.0.0.1:${at.controller}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'PLAINTEXT',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '1',
    // 3 s otherwise, before a group's first member gets its partitions.
    'group.initial.rebalance.delay.ms': '0',
    // 9 s otherwise, before a killed broker may register again.
    'broker.session.timeout.ms': '1000',
    'broker.heartbeat.interval.ms': '200',
  };
}

function environmentOf(properties: Record<string, string>): Record<string, string> {
  const name = (key: string) => `KAFKA_${key.toUpperCase().replaceAll('.', '_')}`;
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [name(key), value]));
}

async function startJava(
  jarsDir: string,
  folder: string,
  version: string,
  extra: BrokerExtra = { properties: {}, listeners: [], format: [] },
): Promise<TestKafka> {
  const [broker, controller] = [await freePort(), await freePort()];
  const usual = propertiesOf({ broker, controller, bind: '127.0.0.1' });
  const properties = {
    ...usual,
    ...extra.properties,
    listeners: [usual.listeners, ...extra.listeners].join(),
    'log.dirs': join(folder, 'data'),
  };
  const file = join(folder, 'server.properties');
  await writeFile(
    file,
    Object.entries(properties)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
  const java = [
    '-Xmx512m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    '-cp',
    join(jarsDir, '*'),
  ];
  // An id of a cluster is 16 bytes; the tool takes a leading "-" for an option.
  const id = `k${randomBytes(16).toString('base64url').slice(1, 22)}`;
  await run('java', [...java, 'kafka.tools.StorageTool', 'format', '-t', id, '-c', file, ...extra.format]);

  const address = `127.0.0.1:${broker}`;
  const guards: (() => Promise<void>)[] = [];
  let child: ChildProcess;
  const start = async () => {
    const said: string[] = [];
    child = spawn('java', [...java, 'kafka.Kafka', file], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => said.push(text));
    if (child.pid === undefined)
      throw new Error('java did not start', { cause: (await once(child, 'error'))[0] });
    guards.push(guard({ pid: child.pid, folder }));
    const { pid } = child;
    const gone = () => (ended(child) ? `process ${pid} ended\n${said.join('').slice(-2000)}` : null);
    await untilReady(address, gone).catch(async (error: unknown) => {
      await kill();
      throw error;
    });
  };
  const kill = async () => {
    if (ended(child)) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const stop = async () => {
    await kill();
    await rm(folder, { recursive: true, force: true });
    for (const standDown of guards) await standDown();
  };
  await start().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    brokers: [address],
    async produceByConsole(topic, lines, properties = []) {
      // Version 4 moved it out of the broker's own package.
      const tool = version.startsWith('3.') ? 'kafka.tools' : 'org.apache.kafka.tools';
      const running = run('java', [
        ...java,
        `${tool}.ConsoleProducer`,
        ...consoleArguments(address, topic, properties),
      ]);
      running.child.stdin?.end(asLines(lines));
      await running;
    },
    async outage() {
      await kill();
      return start;
    },
    stop,
  };
}

const asLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

function consoleArguments(broker: string, topic: string, properties: readonly string[]): string[] {
  return [
    '--bootstrap-server',
    broker,
    '--topic',
    topic,
    ...properties.flatMap((each) => ['--property', each]),
  ];
}

function ended(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
