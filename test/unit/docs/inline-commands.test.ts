// Commands that stand in the text of a document exist and have the options that the text gives them.
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { allDocuments, mistakeIn, readDocument } from './commands.ts';

const BLOCK = /^\s*```[\s\S]*?^\s*```/gm;
const INLINE = /`(?:npx )?sluice ([^`]+)`/g;

const documents = await allDocuments();
const program = await createProgram({ version: '', json: false }, {});

async function mistakes(document: string): Promise<string[]> {
  const text = (await readDocument(document)).replaceAll(BLOCK, '');
  return [...text.matchAll(INLINE)]
    .map(([, line = '']) => mistakeIn(program, line.trim().split(/\s+/)))
    .filter((mistake) => mistake !== null);
}

describe('commands in the text of documents', () => {
  it.each(documents)('of %s exist, with their options', async (document) => {
    expect(await mistakes(document)).toEqual([]);
  });

  it.each([
    ['sync halt leads', '`sluice sync halt leads`: there is no command "halt"'],
    ['sync run leads --gone', '`sluice sync run leads --gone`: there is no option --gone'],
    ['events show ID --jsonl', '`sluice events show ID --jsonl`: there is no option --jsonl'],
    ['sync rows NAME --created', null],
    ['outbox', null],
  ])('`sluice %s`: %s', (line, mistake) => {
    expect(mistakeIn(program, line.split(' '))).toBe(mistake);
  });
});
