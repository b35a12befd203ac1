// The mapping form changes what is chosen in it, and nothing else of the YAML.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  type Choices,
  choicesOf,
  type Draft,
  draftOf,
  type Mapping,
  NO_CHOICES,
  withChoices,
  withDraft,
} from '../../../src/console/screens/syncs/mapping/mapping-draft.ts';

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

describe('what somebody chose', () => {
  const mapping = (number: string, name: string): Mapping => ({
    defaultCountry: 'BR',
    contact: { number, name },
    tags: [],
    extraInfo: {},
  });
  const recognized = draftOf(mapping('Telefone', 'Nome'));
  const columns = ['Telefone', 'Nome', 'Apelido'];

  it('is nothing while the form shows what was recognized', () => {
    expect(choicesOf(recognized, recognized)).toEqual(NO_CHOICES);
    expect(withChoices(recognized, NO_CHOICES, columns)).toEqual(recognized);
  });

  it('comes back after a reload, and holds no more than the choices', () => {
    const card = { pipeline: 'Vendas', stage: 'Novo' };
    const { defaultCountry: _, ...base } = recognized.base;
    const fields = { ...recognized.fields, name: 'Apelido', number: null };
    const chosen: Draft = { ...recognized, fields, base, account: 'acme', card };
    const choices = choicesOf(chosen, recognized);
    expect(choices).toEqual({
      fields: { name: 'Apelido', number: null },
      country: '',
      account: 'acme',
      card,
    });
    const kept = JSON.parse(JSON.stringify(choices)) as Choices;
    expect(withChoices(recognized, kept, columns)).toEqual(chosen);
  });

  it('gives way to what is recognized in another encoding, where its column has another name there', () => {
    const garbled = draftOf(mapping('NÃºmero', 'Nome'));
    const chosen = { ...garbled, fields: { ...garbled.fields, name: 'NÃºmero', email: 'E-mail' } };
    const again = withChoices(draftOf(mapping('Número', 'Nome')), choicesOf(chosen, garbled), [
      'Número',
      'Nome',
      'E-mail',
    ]);
    expect(again.fields).toMatchObject({ number: 'Número', name: 'Nome', email: 'E-mail' });
  });
});
