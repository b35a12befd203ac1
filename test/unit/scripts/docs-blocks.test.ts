import { describe, expect, it } from 'vitest';
import { readItems } from '../../../scripts/docs/blocks.ts';
import { commandsOf } from '../../../scripts/docs/shell.ts';
import { linesMissing } from '../../../scripts/docs/shown.ts';

describe('readItems', () => {
  it('reads blocks in order, with what comments say about them', () => {
    const text = [
      '<!-- run: setup init sandbox -->',
      '<!-- run: terminal=two background until=/up: "yes"/ -->',
      '',
      '```sh',
      'serve',
      '```',
      '- a list',
      '  ```sh',
      '  echo a',
      '  ```',
      '<!-- run: stop -->',
    ].join('\n');
    const items = readItems(text);
    expect(items).toMatchObject([
      { kind: 'setup', needs: ['init', 'sandbox'] },
      {
        kind: 'block',
        line: 5,
        text: 'serve',
        run: { background: true, terminal: 'two', until: /up: "yes"/m },
      },
      { kind: 'block', line: 9, text: 'echo a', run: { background: false, exit: 0 } },
      { kind: 'stop', line: 11 },
    ]);
  });

  it.each([
    [
      'a word that the runner does not know',
      '<!-- run: backgroud until=/x/ -->\n```sh\nx\n```',
      'line 1: "backgroud"',
    ],
    ['a key that it does not know', '<!-- run: untl=/x/ -->\n```sh\nx\n```', 'line 1: "untl"'],
    ['background without an end', '<!-- run: background -->\n```sh\nx\n```', 'background needs until'],
    [
      'a comment away from its block',
      '<!-- run: exit=6 -->\ntext\n```sh\nx\n```',
      'right before a code block',
    ],
    ['a comment at the end', '<!-- run: exit=6 -->', 'no code block follows'],
    ['a block without an end', 'text\n```sh\nx', 'line 2: the code block does not end'],
  ])('refuses %s', (_what, text, error) => {
    expect(() => readItems(text)).toThrow(error);
  });
});

describe('commandsOf', () => {
  it.each([
    ['one a line, without comments', 'a\n\n# why\nb # more', ['a', 'b # more']],
    ['continued lines', 'a \\\n  b\nc', ['a \\\n  b', 'c']],
    ['quotes over lines', "a 'x\ny'\nb", ["a 'x\ny'", 'b']],
    ['here-documents', 'cat <<END\nx\nEND\nb', ['cat <<END\nx\nEND', 'b']],
    [
      'functions and loops',
      'f() {\n  a\n}\nfor x in 1; do\n  f\ndone',
      ['f() {\n  a\n}', 'for x in 1; do\n  f\ndone'],
    ],
  ])('finds %s', (_what, block, commands) => {
    expect(commandsOf(block)).toEqual(commands);
  });
});

describe('linesMissing', () => {
  const printed =
    'run acme/leads/7: 4 rows read in 1.25 s\n  3 created, 1 rejected\nrow 4: no number [required]';

  it.each([
    ['other times', 'run acme/leads/7: 4 rows read in 12 min 3 s', []],
    ['other counts', '  4 created, 1 rejected', ['  4 created, 1 rejected']],
    ['parts around …', 'row 4: … [required]\n…', []],
    ['other words', '  3 created, 1 refused', ['  3 created, 1 refused']],
    ['parts in another order', 'required … row', ['required … row']],
    ['a part of a line without …', 'row 4: no number', ['row 4: no number']],
  ])('compares %s', (_what, shown, missing) => {
    expect(linesMissing(shown, printed)).toEqual(missing);
  });
});
