// What a user sends for the configuration is parsed in a thread: it may cost what its limits allow, and nobody else waits.
import { expect, it } from 'vitest';
import { checkDraftOf, editConfig } from '../../../src/app/config-edit/run-edit.ts';

const PLACE = {
  file: '/srv/sluice.yaml',
  text: `version: 1
accounts:
  acme: { baseUrl: "http://127.0.0.1:9/wapi", tokens: [env:TOKEN], timeZone: America/Sao_Paulo } # production
`,
};
const CAMPAIGN = {
  account: 'acme',
  flow: 1,
  connection: 1,
  audience: [{ from: 'contacts', tags: ['lead'] }],
  windows: { days: { mon: ['09:00-18:00'] } },
};
const write = (yaml: string) => ({ kind: 'campaign', campaign: 'spring', isNew: false, yaml }) as const;

it('a campaign comes back in the text of the file, whose comments stay', async () => {
  const text = await editConfig(write(JSON.stringify(CAMPAIGN)), PLACE);
  expect(text).toContain('# production');
  expect(text).toContain('spring:');
});

it('the problems of a draft come back with their places', async () => {
  const config = { ...CAMPAIGN, audience: 3 };
  expect(await checkDraftOf({ campaign: 'spring', config }, PLACE)).toEqual([
    expect.objectContaining({ path: 'audience' }),
  ]);
});

const many = (part: string) => part.repeat(Math.floor(100_000 / part.length));
it.each([
  ['a mistake a byte', many(']'), 'YAML', /line 1, column 1/],
  ['a mistake a line', `a: 1\n${many('@\n')}`, 'YAML', /line 2/],
  ['deep nesting', `a: ${many('[')}`, 'YAML', /nested too deeply/],
  ['lists in lists', many('- '), 'YAML', /nested too deeply/],
  ['maps in keys', many('? '), 'YAML', /nested too deeply/],
  ['aliases', `x: &a 1\na:\n${many('- *a\n')}`, 'YAML', /100 aliases/],
  ['merge keys', `x: &a {b: 1}\na:\n${many('- <<: *a\n')}`, 'YAML', /100 aliases/],
  ['anchors', `a:\n${many('- &a 1\n')}`, 'CONFIG', /campaigns\.spring/],
  ['tags', `a:\n${many('- !t 1\n')}`, 'CONFIG', /unresolved tag/],
  ['a flow map', `a: {${Array.from({ length: 9000 }, (_, n) => `k${n}: 1`).join(',')}}`, 'YAML', /1000 keys/],
  ['entries', `a: [${many('1,')}]`, 'YAML', /20000 entries/],
])(
  'refuses a campaign of 100 kB that is all %s, and this thread stays free',
  async (_, yaml, code, message) => {
    const beats = countBeats();
    // The usual 5 s may pass on a busy machine.
    const limits = { totalMs: 60_000, memoryMb: 256 };
    await expect(editConfig(write(yaml), PLACE, limits)).rejects.toMatchObject({
      kind: 'invalid',
      code,
      message: expect.stringMatching(message),
    });
    // In this thread there would be none: the parser takes 0.2 to 1 s.
    expect(beats()).toBeGreaterThan(5);
  },
);

it.each([
  ['time', { totalMs: 1, memoryMb: 256 }, /more than 0\.001 s; .*write it into \/srv\/sluice\.yaml/],
  ['memory', { totalMs: 60_000, memoryMb: 6 }, /more than 6 MB of memory/],
])('ends a check that exceeds its %s, and names the limit', async (_, limits, message) => {
  const edit = write(`a: ${many(']')}`);
  await expect(editConfig(edit, PLACE, limits)).rejects.toMatchObject({
    kind: 'invalid',
    code: 'EDIT_STOPPED',
    message: expect.stringMatching(message),
  });
});

it('a sync whose name is taken is a conflict', async () => {
  const entries = { name: 'leads', source: { type: 'csv', path: 'a.csv' }, mapping: {}, sync: {} };
  const text = `${PLACE.text}sources: { leads: { type: csv, path: b.csv } }\n`;
  await expect(editConfig({ kind: 'entries', entries }, { ...PLACE, text })).rejects.toMatchObject({
    kind: 'conflict',
    code: 'NAME_TAKEN',
  });
});

function countBeats(): () => number {
  let beats = 0;
  const beat = setInterval(() => beats++, 5);
  return () => {
    clearInterval(beat);
    return beats;
  };
}
