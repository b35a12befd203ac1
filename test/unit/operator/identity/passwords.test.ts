// Passwords: which are strong enough, how they are stored, and what matches them.
import { expect, it, onTestFinished } from 'vitest';
import { createPasswords } from '../../../../src/operator/identity/passwords.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { addUser, openBrowser, startServer } from './http-context.ts';

const check = (password: string) => createPasswords().check(password, ['anasouza', 'Bo Silveira']);

it.each([
  ['eleven characters', 'abcdefghijk', '12 or more'],
  ['eleven emoji of two units', '😀😁😂🤣😃😄😅😆😉😊😋', '12 or more'],
  ['a book', 'abcdefgh'.repeat(40), 'at most 256'],
  ['the name in another case', 'my-name-is-ANASOUZA', "the user's name"],
  ['a part of the display name', 'silveira-2026!x', "the user's name"],
  ['a pattern', 'abababababababab', 'easy to guess (Repeated'],
  ['a row of keys', 'wertyuiop[]\\', 'easy to guess (Straight rows'],
  ['a common one with digits', 'P@ssw0rd1234', 'easy to guess (This is similar'],
  ['Brazilian words', 'minhasenha123', 'easy to guess; use four words'],
  ['the name of this program', 'Sluice123456', 'easy to guess'],
  ['a leaked one, in another case', 'MAILcreated5240', 'list of leaked passwords'],
  ['a leaked one in full-width letters', 'ｇｆｈｊｋｍｇｆｈｊｋｍ', 'list of leaked passwords'],
  ['half of a character', 'correct horse \ud83d', 'half of a character'],
  ['a leaked one with digits', 'mailcreated524012', 'easy to guess'],
  ['the name in other letters', 'An4s0uz4An4s0uz4', 'easy to guess'],
])('of %s is too weak', async (_, password, rule) => {
  await expect(check(password)).rejects.toThrow(rule);
});

it.each(['correct horse battery', 'a short name is no part: bo', 'ção-é-ótimo-12', 'x7!kP2v9Qz#L'])(
  '%s is accepted',
  async (password) => {
    await expect(check(password)).resolves.toBeUndefined();
  },
);

it('is stored as argon2id with the parameters of OWASP', async () => {
  const passwords = createPasswords();
  expect(await passwords.hash('café com leite')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.verify(null, 'the password of nobody')).toBe(false);
});

it.each([
  ['a letter in another case', 'Café com leite', 'café com leite'],
  ['a letter without its accent', 'café com leite', 'cafe com leite'],
  ['an accent that is a character of its own', 'café com leite', 'cafe\u0301 com leite'],
  ['wide letters', 'correct horse', 'ｃorrect horse'],
  ['a letter for two', 'ﬁrst of many things', 'first of many things'],
  ['a space before it', 'correct horse', ' correct horse'],
  ['a space after it', 'correct horse ', 'correct horse'],
  ['two spaces', 'correct  horse', 'correct horse'],
  ['a space that does not break', 'correct\u00a0horse', 'correct horse'],
  ['a line break after it', 'correct horse\n', 'correct horse'],
  ['another text behind a zero', 'correct\0horse', 'correct\0house'],
  ['nothing behind a zero', 'correct\0horse', 'correct'],
  ['another 73rd character', `${'a'.repeat(72)}b`, `${'a'.repeat(72)}c`],
  ['another 256th character', `${'a'.repeat(255)}b`, `${'a'.repeat(255)}c`],
  ['another emoji', 'correct 😀', 'correct 😁'],
  ['an invisible character', 'correct horse', 'correct\u200bhorse'],
  ['half of another character', 'correct \ud83d', 'correct \ud83e'],
])('does not match with %s, and only as it was set', async (_what, set, other) => {
  const passwords = createPasswords();
  const stored = await passwords.hash(set);
  expect(await passwords.verify(stored, other)).toBe(false);
  expect(await passwords.verify(stored, set)).toBe(set.isWellFormed());
});

it('arrives over HTTP as it was typed', async () => {
  const typed = ' Correct  Horse\tbattery\u00a0ﬁ ';
  const db = await testLedger();
  const server = await startServer(db);
  onTestFinished(() => server.close());
  await addUser(db, 'bia');
  const stored = await createPasswords().hash(typed);
  await db.query('update users set password_hash = $1 where name = $2', [stored, 'bia']);
  expect((await openBrowser(server).login('bia', typed)).status).toBe(200);
  expect((await openBrowser(server).login('bia', typed.trim())).status).toBe(401);
  expect((await openBrowser(server).login('bia', typed.normalize('NFKC'))).status).toBe(401);
});

it('is checked for few at once; a flood is turned away', async () => {
  const passwords = createPasswords();
  const all = await Promise.allSettled(
    Array.from({ length: 60 }, async () => await passwords.verify(null, 'x')),
  );
  const refused = all.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(20);
  expect(refused[0]).toMatchObject({ reason: { kind: 'tooMany', code: 'LOGIN_BUSY' } });
});
