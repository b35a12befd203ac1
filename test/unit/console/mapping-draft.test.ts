// The mapping form changes what is chosen in it, and nothing else of the YAML.
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  type Draft,
  draftOf,
  type Mapping,
  withDraft,
} from '../../../src/console/screens/syncs/mapping-draft.ts';

const YAML = `defaultCountry: BR # most of them
contact:
  number: Telefone
  disableBot: Bot
tags: [Etapa, { const: lead }]
extraInfo: { Origem: Origem }
card: { pipeline: Vendas, stage: Etapa, customFields: { cidade: Cidade } }
`;

const edited = (yaml: string, change: (draft: Draft) => Partial<Draft>) => {
  const draft = draftOf(parse(yaml) as Mapping);
  return withDraft(yaml, { ...draft, ...change(draft) });
};
const choose =
  (fields: Partial<Draft['fields']>) =>
  (draft: Draft): Partial<Draft> => ({ fields: { ...draft.fields, ...fields } });

it('changes nothing while nothing is chosen', () => {
  expect(edited(YAML, () => ({}))).toBe(YAML);
});

it.each<[string, Partial<Draft['fields']>, object]>([
  ['a new field', { name: 'Nome' }, { contact: { number: 'Telefone', disableBot: 'Bot', name: 'Nome' } }],
  ['another number', { number: { path: '=x' } }, { contact: { number: { path: '=x' }, disableBot: 'Bot' } }],
  ['another first tag', { tags: 'Fase' }, { tags: ['Fase', { const: 'lead' }] }],
  ['no first tag', { tags: null }, { tags: [{ const: 'lead' }] }],
])('%s leaves cards, extra fields, other tags and comments', (_, fields, changed) => {
  const text = edited(YAML, choose(fields));
  expect(parse(text)).toEqual({ ...parse(YAML), ...changed });
  expect(text).toContain('# most of them');
});

it('takes a tag where there was none', () => {
  const text = edited('contact: { number: a }\n', choose({ tags: 'Fase' }));
  expect(parse(text)).toEqual({ contact: { number: 'a' }, tags: ['Fase'] });
});

it('the country is changed and removed', () => {
  const text = edited(YAML, ({ base }) => ({ base: { ...base, defaultCountry: 'PT' } }));
  expect(parse(text)).toEqual({ ...parse(YAML), defaultCountry: 'PT' });
  const without = edited(YAML, () => ({ base: {} }));
  expect(parse(without)).not.toHaveProperty('defaultCountry');
});
