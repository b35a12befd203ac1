// Runs the commands of one document, in the order in which a reader meets them.
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Directions, type Item, readItems } from './blocks.ts';
import { type Clone, environmentOf, makeClone, ROOT } from './clone.ts';
import { createServices, SETUP, type Services } from './services.ts';
import { type Background, commandsOf, Shell } from './shell.ts';
import { linesMissing } from './shown.ts';

export interface Result {
  readonly document: string;
  readonly line: number;
  readonly command: string;
  /** Null when it was not run: `note` says why. */
  readonly exit: number | null;
  readonly seconds: number;
  readonly ok: boolean;
  readonly note: string;
  /** stdout and stderr, as a terminal shows them. */
  readonly output: string;
}

/** Replaces a command where a document shows the output of the commands before it. */
export const OUTPUT = '(output as shown)';

const COMMAND_MS = 90_000;
const READY_MS = 60_000;
const STOP_MS = 30_000;
/** Between two checks what a command prints. */
const POLL_MS = 50;
/** Set-up commands that every reader has run, and this clone too. */
const DONE_BEFORE = /^(npm ci|git clone)\b/;

interface Run {
  /** What the commands of the last block of commands print; one that stays up prints more later. */
  printed: (() => string)[];
  readonly document: string;
  readonly clone: Clone;
  readonly services: Services;
  readonly shells: Map<string, Shell>;
  readonly background: { readonly shell: Shell; readonly job: Background }[];
  readonly env: NodeJS.ProcessEnv;
  readonly report: (result: Result) => void;
}

/** Runs a document until its first failure. */
export async function runDocument(
  document: string,
  env: NodeJS.ProcessEnv,
  report: (result: Result) => void,
): Promise<void> {
  const items = readItems(await readFile(join(ROOT, document), 'utf8'));
  const clone = await makeClone();
  const run: Run = {
    document,
    clone,
    services: createServices(),
    shells: new Map(),
    printed: [],
    background: [],
    env: environmentOf(env),
    report,
  };
  if (document.startsWith('docs/how-to/')) run.env.PATH = `${clone.quickNpx}:${run.env.PATH}`;
  try {
    for (const item of items) if (!(await runItem(run, item))) break;
    await stopAll(run);
  } finally {
    for (const shell of run.shells.values()) await shell.close();
    await run.services.stop();
    await clone.remove();
  }
}

async function runItem(run: Run, item: Item): Promise<boolean> {
  switch (item.kind) {
    case 'stop':
      await stopAll(run);
      return true;
    case 'do':
      return await timed(run, item.line, `(by hand) ${item.command}`, 0, () =>
        foreground(run, item.command, 'first'),
      );
    case 'setup':
      for (const need of item.needs) if (!(await setUp(run, item.line, need))) return false;
      return true;
    case 'block':
      return await runBlock(run, item);
  }
}

async function setUp(run: Run, line: number, need: string): Promise<boolean> {
  if (need === 'kafka' || need === 'postgres')
    return await timed(run, line, `(setup) ${need}`, 0, async () => {
      await run.services.start(need);
      return { exit: 0, output: '' };
    });
  const step = SETUP[need];
  if (step === undefined) throw new Error(`${run.document}:${line}: there is no setup "${need}"`);
  const { command, until } = step;
  return await timed(run, line, `(setup) ${command}`, 0, () =>
    until === null ? foreground(run, command, 'first') : stayUp(run, command, until, 'first'),
  );
}

async function runBlock(run: Run, block: Item & { kind: 'block' }): Promise<boolean> {
  const { skip, write } = block.run;
  if (write !== null) {
    const path = join(await shellOf(run, block.run.terminal).folder(), write.path);
    await mkdir(dirname(path), { recursive: true });
    const text = `${run.services.place(block.text)}\n`;
    await (write.append ? appendFile(path, `\n${text}`) : writeFile(path, text));
    return true;
  }
  if (block.language === 'sql') {
    if (skip !== null) {
      notRun(run, block.line, `(SQL) ${block.text.split('\n')[0]}`, skip);
      return true;
    }
    return await timed(run, block.line, `(SQL) ${block.text.split('\n')[0]}`, 0, async () => {
      await run.services.sql(block.text);
      return { exit: 0, output: '' };
    });
  }
  if (block.language === 'output')
    return await timed(run, block.line, OUTPUT, 0, () => shown(run, block.text));
  if (block.language !== 'sh') return true;
  run.printed = [];
  const commands = commandsOf(block.text);
  let line = block.line;
  for (const [index, command] of commands.entries()) {
    const note = skip ?? (DONE_BEFORE.test(command) ? 'run in this clone already' : null);
    if (note !== null) notRun(run, line, command, note);
    else if (!(await runCommand(run, line, command, block.run, index === commands.length - 1))) return false;
    line += command.split('\n').length;
  }
  return true;
}

async function runCommand(
  run: Run,
  line: number,
  written: string,
  how: Directions,
  last: boolean,
): Promise<boolean> {
  const command = run.services.place(written);
  const { background, until, terminal } = how;
  if (background && until !== null && last)
    return await timed(run, line, written, 0, () => stayUp(run, command, until, terminal));
  return await timed(run, line, written, last ? how.exit : 0, async () => {
    if (until !== null && last) return await repeated(run, command, until, terminal);
    const outcome = await foreground(run, command, terminal);
    if (last && how.prints !== null && !how.prints.test(outcome.output))
      throw new Error(`${how.prints} is not in what it printed:\n${outcome.output}`);
    return outcome;
  });
}

async function foreground(run: Run, command: string, terminal: string) {
  const outcome = await shellOf(run, terminal).run(command, COMMAND_MS);
  run.printed.push(() => outcome.output);
  return outcome;
}

/** Waits until the commands of the last block have printed each line that the document shows. */
async function shown(run: Run, text: string) {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const output = run.printed.map((read) => read()).join('\n');
    const missing = linesMissing(text, output);
    if (missing.length === 0) return { exit: 0, output: '' };
    if (Date.now() > deadline || run.background.length === 0)
      throw new Error(`it did not print:\n${missing.join('\n')}\nbut:\n${output}`);
    await delay(POLL_MS);
  }
}

async function repeated(run: Run, command: string, until: RegExp, terminal: string) {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const outcome = await foreground(run, command, terminal);
    if (until.test(outcome.output)) return outcome;
    if (Date.now() > deadline) throw new Error(`${until} did not come; last it printed:\n${outcome.output}`);
    await delay(POLL_MS);
  }
}

async function stayUp(run: Run, command: string, until: RegExp, terminal: string) {
  const shell = shellOf(run, terminal);
  const job = await shell.start(command);
  run.background.push({ shell, job });
  run.printed.push(() => job.output());
  const deadline = Date.now() + READY_MS;
  while (!until.test(job.output())) {
    if (Date.now() > deadline) throw new Error(`${until} did not come; it printed:\n${job.output()}`);
    await delay(POLL_MS);
  }
  return { exit: 0, output: job.output() };
}

async function stopAll({ background }: Run): Promise<void> {
  for (const { shell, job } of background.splice(0).toReversed()) await shell.interrupt(job, STOP_MS);
}

function shellOf(run: Run, terminal: string): Shell {
  const known = run.shells.get(terminal);
  if (known !== undefined) return known;
  const shell = new Shell(run.clone.folder, run.env, run.clone.scratch);
  run.shells.set(terminal, shell);
  return shell;
}

function notRun({ document, report }: Run, line: number, command: string, note: string): void {
  report({ document, line, command, exit: null, seconds: 0, ok: true, note, output: '' });
}

async function timed(
  { document, report }: Run,
  line: number,
  command: string,
  expected: number,
  work: () => Promise<{ exit: number; output: string }>,
): Promise<boolean> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  try {
    const { exit, output } = await work();
    const ok = exit === expected;
    const note = ok ? '' : `expected exit code ${expected}; it printed:\n${output}`;
    report({ document, line, command, exit, seconds: seconds(), ok, note, output });
    return ok;
  } catch (error) {
    const note = (error as Error).message;
    report({ document, line, command, exit: null, seconds: seconds(), ok: false, note, output: '' });
    return false;
  }
}
