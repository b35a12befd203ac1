// The thread that estimates how many guesses a password takes. See guess.ts.
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as en from '@zxcvbn-ts/language-en';
import * as ptBr from '@zxcvbn-ts/language-pt-br';
import { serveThread } from '../../core/thread.ts';
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
serveThread(({ password, words }: GuessInput): Guess => {
  const { score, feedback } = estimator.check(password, [...words]);
  // The estimator keeps what it checked last: not the password.
  estimator.check('', []);
  // The estimate alone would let a list entry through whose parts look strong.
  const isCommon = leaked.includes(password.toLowerCase());
  return { score, warning: feedback.warning, isCommon };
});
