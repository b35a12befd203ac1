// What the documents' runner does, read from Markdown: code blocks, and the comments that say how to run them.
//
// - `sh`: each command runs, in a terminal that begins in the folder of the project.
// - `output`: the commands of the block before printed these lines. … stands for any text, and for any lines.
// - `sql`: runs in the database of `setup postgres`.
// - Other blocks are skipped, unless `write=FILE` or `append=FILE` makes them a file.
//
// `<!-- run: setup init sandbox kafka postgres -->` gives what a guide takes for granted, each as wanted: a folder of
// `sluice init`, a sandbox, a broker at 127.0.0.1:9092, a database for every postgres:// address of the document.

/** How a block is run. `<!-- run: … -->` right before the block says so; without it, each command must end with exit code 0. */
export interface Directions {
  /** `background until=/…/`: the command stays up; the next one starts when its output matches. */
  readonly background: boolean;
  /** `until=/…/` without `background`: the command is repeated until its output matches. */
  readonly until: RegExp | null;
  /** `exit=6`: exit code of the last command of the block. */
  readonly exit: number;
  /** `prints=/…/`: what the last command of the block must print. */
  readonly prints: RegExp | null;
  /** `terminal=NAME`: another terminal, which begins in the folder of the project. */
  readonly terminal: string;
  /** `write=FILE` or `append=FILE`: the block is the content of a file. */
  readonly write: { readonly path: string; readonly append: boolean } | null;
  /** `skip because …` */
  readonly skip: string | null;
}

export type Item =
  | {
      readonly kind: 'block';
      readonly line: number;
      readonly language: string;
      readonly text: string;
      readonly run: Directions;
    }
  /** `setup …`: what the document takes for granted, for example a folder made by `sluice init` and a sandbox. */
  | { readonly kind: 'setup'; readonly line: number; readonly needs: readonly string[] }
  /** `do …`: a command that stands for what a person does by hand, such as an edit. */
  | { readonly kind: 'do'; readonly line: number; readonly command: string }
  /** `stop`: Ctrl-C in the terminals of all programs that stay up. */
  | { readonly kind: 'stop'; readonly line: number };

const DEFAULTS: Directions = {
  background: false,
  until: null,
  exit: 0,
  prints: null,
  terminal: 'first',
  write: null,
  skip: null,
};

const COMMENT = /^\s*<!--\s*run:\s*(.*?)\s*-->\s*$/;
const FENCE = /^(\s*)```(\S*)\s*$/;

/** @throws Error with the line when a comment cannot be understood or a block does not end */
export function readItems(markdown: string): Item[] {
  const lines = markdown.split('\n');
  const items: Item[] = [];
  let run = DEFAULTS;
  let annotated: number | null = null;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const comment = COMMENT.exec(line);
    const fence = FENCE.exec(line);
    if (comment !== null) {
      const alone = standalone(comment[1] as string, at + 1);
      if (alone !== null) items.push(alone);
      else {
        run = directions(comment[1] as string, at + 1, run);
        annotated = at + 1;
      }
    } else if (fence !== null) {
      const end = lines.findIndex((other, index) => index > at && other.trim() === '```');
      if (end < 0) throw new Error(`line ${at + 1}: the code block does not end`);
      const indent = (fence[1] as string).length;
      const text = lines.slice(at + 1, end).map((inner) => inner.slice(indent));
      items.push({ kind: 'block', line: at + 2, language: fence[2] as string, text: text.join('\n'), run });
      at = end;
      run = DEFAULTS;
      annotated = null;
    } else if (line.trim() !== '' && annotated !== null) {
      throw new Error(`line ${annotated}: the comment must stand right before a code block`);
    }
  }
  if (annotated !== null) throw new Error(`line ${annotated}: no code block follows the comment`);
  return items;
}

function standalone(text: string, line: number): Item | null {
  const [word, ...rest] = text.split(/\s+/);
  if (word === 'setup') return { kind: 'setup', line, needs: rest };
  if (word === 'do') return { kind: 'do', line, command: text.slice('do'.length).trim() };
  if (text === 'stop') return { kind: 'stop', line };
  return null;
}

function directions(text: string, line: number, before: Directions): Directions {
  const skip = /^skip because (.+)$/.exec(text);
  const run: { -readonly [Key in keyof Directions]: Directions[Key] } = { ...before };
  if (skip !== null) {
    run.skip = skip[1] as string;
    return run;
  }
  const rest = text.replace(/(\w+)=(?:\/((?:\\.|[^/\\])+)\/|(\S+))/g, (_whole, key, regex, word) => {
    if (key === 'until' && regex) run.until = new RegExp(regex, 'm');
    else if (key === 'prints' && regex) run.prints = new RegExp(regex, 'm');
    else if (key === 'exit' && /^\d+$/.test(word)) run.exit = Number(word);
    else if (key === 'terminal' && word) run.terminal = word;
    else if ((key === 'write' || key === 'append') && word)
      run.write = { path: word, append: key === 'append' };
    else throw new Error(`line ${line}: "${key}" is not known to the runner, or has no such value`);
    return '';
  });
  for (const word of rest.split(/\s+/).filter(Boolean)) {
    if (word !== 'background') throw new Error(`line ${line}: "${word}" is not known to the runner`);
    run.background = true;
  }
  if (run.background && run.until === null) throw new Error(`line ${line}: background needs until=/…/`);
  return run;
}
