// `npm run docs:commands -- [--show] [documents…]`: runs each ```sh block of README, tutorials and how-to guides as it is written, each
// document in a fresh folder against the sandbox. It fails when an exit code is not the one that the text names.
// `--show` prints what the commands print. scripts/docs/blocks.ts has the comments that say how a block is run.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { tryPort } from '../src/core/net/ports.ts';
import { cacheDirOf } from '../src/temporal/cache-dir.ts';
import { findTemporalCli } from '../src/temporal/temporal-binary.ts';
import { environmentOf, ROOT } from './docs/clone.ts';
import { OUTPUT, type Result, runDocument } from './docs/document.ts';

/** Ports that the documents name. */
const PORTS = [4010, 4020];
/** Documents at once, where each has a network of its own; they wait more than they compute. */
const JOBS = 4;
/** One document in this process, its results as JSON lines. */
const ONE = '--one';

const SHOW = '--show';

const { argv, env } = process;

function allDocuments(): string[] {
  const guides = ['docs/tutorials', 'docs/how-to'].flatMap((folder) =>
    existsSync(join(ROOT, folder))
      ? readdirSync(join(ROOT, folder))
          .filter((name) => name.endsWith('.md'))
          .sort()
          .map((name) => `${folder}/${name}`)
      : [],
  );
  return ['README.md', ...guides];
}

/** What to put before a command so that it has a loopback network of its own, and documents can use the same ports. */
function ownNetwork(): readonly string[] | null {
  const up = ['-n', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  return spawnSync('unshare', [...up, 'true'], { stdio: 'ignore' }).status === 0 ? ['unshare', ...up] : null;
}

async function untilPortsAreFree(): Promise<void> {
  for (const port of PORTS) {
    let said = false;
    while ((await tryPort(port)) === null) {
      if (!said) process.stderr.write(`waiting for port ${port}, which another program uses\n`);
      said = true;
      await delay(500);
    }
  }
}

const show = ({ document, line, command, exit, seconds, ok, note }: Result) => {
  const [first = '', ...more] = command.split('\n');
  const end = exit === null ? (ok ? 'not run' : 'no exit code') : `exit ${exit}`;
  const reason = note === '' ? '' : ok ? `  (${note})` : `  FAILED: ${note}`;
  return `${document}:${line}  ${first}${more.length > 0 ? ' …' : ''}  ${end}  ${seconds.toFixed(1)} s${reason}\n`;
};

async function runAll(documents: readonly string[], output: boolean): Promise<void> {
  const network = ownNetwork();
  // Without a network of its own no document can download it.
  await findTemporalCli({ env, cacheDir: cacheDirOf(env), say: (line) => process.stderr.write(`${line}\n`) });
  const childEnv = environmentOf(env);
  if (network !== null) childEnv.SLUICE_TEST_CONTAINERS = 'off';
  const results: Result[] = [];
  const waiting = [...documents];
  const began = performance.now();
  const next = async (): Promise<void> => {
    for (let document = waiting.shift(); document !== undefined; document = waiting.shift()) {
      if (network === null) await untilPortsAreFree();
      const [command, ...rest] = [...(network ?? []), process.execPath, import.meta.filename, ONE, document];
      const child = spawn(command, rest, { env: childEnv, stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      for await (const line of createInterface({ input: child.stdout })) {
        const result = JSON.parse(line) as Result;
        results.push(result);
        process.stdout.write(output ? `${show(result)}${result.output}\n` : show(result));
      }
      const [code] = (await exited) as [number | null];
      if (code !== 0)
        results.push({
          document,
          line: 0,
          command: '',
          exit: code,
          seconds: 0,
          ok: false,
          note: 'see stderr',
          output: '',
        });
    }
  };
  await Promise.all(Array.from({ length: network === null ? 1 : JOBS }, next));
  const ran = results.filter(({ exit, command }) => exit !== null && command !== OUTPUT);
  const compared = results.filter(({ exit, command }) => exit !== null && command === OUTPUT);
  const skipped = results.filter(({ exit, ok }) => exit === null && ok);
  const failed = results.filter(({ ok }) => !ok);
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(
    `${documents.length} documents: ${ran.length} commands run, ${compared.length} outputs as shown, ${skipped.length} not run, ${failed.length} failed, in ${seconds} s\n`,
  );
  if (failed.length > 0) process.exitCode = 1;
}

const args = argv.slice(2);
const [first, second] = args;
if (first === ONE && second !== undefined) {
  // What a document started ends with this process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  await runDocument(second, env, (result) => process.stdout.write(`${JSON.stringify(result)}\n`));
} else {
  const documents = args.filter((arg) => arg !== SHOW);
  await runAll(documents.length > 0 ? documents : allDocuments(), args.includes(SHOW));
}
