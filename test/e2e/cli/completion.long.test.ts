// Completion in real shells: a person types, presses Tab, and sees the rest of the word.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildOnce } from '../../support/runner/build.ts';
import { NO_PYTHON } from '../../support/runner/missing.ts';
import { hasPty, openTerminal } from '../../support/tools/pty.ts';

/** How each shell starts without the user's files, loads the completion, and defines a `sluice` that shows its words. */
const SHELLS = {
  bash: {
    start: ['bash', '--norc', '--noprofile', '-i'],
    load: (completion: string) => `eval "$(${completion} bash)"; sluice() { printf '[%s]' "$@"; echo; }`,
  },
  zsh: {
    start: ['zsh', '-f', '-i'],
    load: (completion: string) =>
      `autoload -U compinit; compinit -u -D; eval "$(${completion} zsh)"; sluice() { printf '[%s]' "$@"; echo; }`,
  },
  fish: {
    start: ['fish', '--no-config', '-i'],
    load: (completion: string) =>
      `${completion} fish | source; function sluice; printf '[%s]' $argv; echo; end`,
  },
} as const;

/** What a person types, with \t for Tab, and the words that the command gets. */
const TYPED = [
  ['sy\t', '[sync]'],
  ['sync run le\t', '[sync][run][leads]'],
  ['campaign start w\t', '[campaign][start][winback]'],
  ['poll now i\t', '[poll][now][inbox]'],
  ['account show b\t', '[account][show][beta]'],
  ['sync run leads --ut\t', '[sync][run][leads][--utc]'],
  ['init --preset hub\t', '[init][--preset][hubspot]'],
  ['sync run --config sl\t', '[sync][run][--config][sluice.yaml]'],
  ['sync run --config=sl\t', '[sync][run][--config=sluice.yaml]'],
  ['events list --account=b\t', '[events][list][--account=beta]'],
] as const;

let main: string;
let dir: string;

beforeAll(async () => {
  main = join(await buildOnce(), 'src/cli/main.js');
  dir = await mkdtemp(join(tmpdir(), 'sluice completion '));
  await writeFile(
    join(dir, 'sluice.yaml'),
    'accounts: { acme: {}, beta: {} }\nsyncs: { leads: {} }\ncampaigns: { winback: {} }\npollers: { inbox: {} }\n',
  );
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe('completion', () => {
  beforeEach(({ skip }) => skip(!hasPty, NO_PYTHON));

  it.each(['bash', 'zsh', 'fish'] as const)('works in %s', async (shell) => {
    // zsh and fish are tested where they are installed.
    if (shell !== 'bash' && spawnSync(shell, ['-c', 'true']).status !== 0) return;
    const { start, load } = SHELLS[shell];
    const terminal = openTerminal(start, { columns: 120, cwd: dir, env: { HOME: dir } });
    terminal.type(`${load(`${process.execPath} ${main} completion`)}; sluice rea''dy\r`);
    await terminal.shows('[ready]');
    for (const [typed, words] of TYPED) {
      terminal.type(`sluice ${typed}\r`);
      await terminal.shows(words);
    }
    terminal.type('exit\r');
    expect(await terminal.ended).toBe(0);
  });
});
