// The thread that estimates how many guesses a password takes. See guess.ts.
import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as en from '@zxcvbn-ts/language-en';
import * as ptBr from '@zxcvbn-ts/language-pt-br';
import { commonPasswords } from './common-passwords.ts';
import type { Guess, GuessInput } from './guess.ts';

const leaked = commonPasswords();
const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...en.dictionary, ...ptBr.dictionary, leaked: [...leaked] },
  graphs: common.adjacencyGraphs,
  translations: en.translations,
  // Measured: 256 random characters take 12 s, 64 with 10 substitutions 0.2 s.
  maxLength: 64,
  l33tMaxSubstitutions: 10,
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const say = (message: 'ready' | Guess) => parentPort?.postMessage(message);
parentPort?.on('message', ({ password, words }: GuessInput) => {
  const { score, feedback } = estimator.check(password, [...words]);
  // The estimate alone would let a list entry through whose parts look strong.
  const isCommon = leaked.includes(password.toLowerCase());
  say({ score, warning: feedback.warning, isCommon });
  // The estimator keeps what it checked last: not the password.
  estimator.check('', []);
});
say('ready');
