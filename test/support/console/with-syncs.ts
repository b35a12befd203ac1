// Tests of the syncs screen: the console with stubbed answers, opened at the syncs.
import { expect } from 'vitest';
import type { OpenOptions } from './pages.ts';
import { syncAnswers } from './sample-syncs.ts';
import { type Answer, loginAnswers } from './stub.ts';
import { type ConsoleTest, prepareConsole } from './with-console.ts';

export type WithSyncs = (
  more: Readonly<Record<string, Answer>>,
  options: OpenOptions,
  test: (opened: ConsoleTest) => Promise<void>,
) => Promise<void>;

/** Prepares the browser for the tests of a file. Afterwards, no request without an answer may have been seen. */
export function prepareSyncs(): WithSyncs {
  const withConsole = prepareConsole();
  return async (more, options, test) => {
    const answers = { ...loginAnswers(), ...syncAnswers(), ...more };
    await withConsole(answers, '/syncs', options, async (opened) => {
      await test(opened);
      expect(opened.stub.missed).toEqual([]);
    });
  };
}

export const CSV = {
  name: 'export.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('Telefone;Nome\n1;Ana\n'),
};
