// The presets on the headers that the CRMs write in other languages, forms and years.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { MappingConfig } from '../../../src/mapping/config.ts';
import { compileMapping } from '../../../src/mapping/index.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples');
const NUMBER = '5511987654321';
const phone = '+55 11 98765-4321';

const cases: [name: string, preset: string, row: Record<string, string>, wanted: object][] = [
  [
    'HubSpot in Portuguese',
    'hubspot',
    {
      'ID do registro': '7',
      Nome: 'Ana',
      Sobrenome: 'Muniz',
      'E-mail': 'ana@example.com',
      'Número de celular': phone,
      'Fase do ciclo de vida': 'Oportunidade',
      'Status do lead': 'Conectado',
      'Fonte original do tráfego': 'Referências',
    },
    {
      contact: { number: NUMBER, name: 'Ana Muniz', email: 'ana@example.com' },
      tags: ['hubspot', 'quente'],
      card: { stage: 'Contact made', sourceId: 2 },
    },
  ],
  [
    'HubSpot before it renamed the source',
    'hubspot',
    {
      'First Name': 'Ana',
      'Phone Number': phone,
      'Original Source': 'Referrals',
      'Lifecycle Stage': 'Opportunity',
    },
    { extraInfo: [{ name: 'original source', value: 'Referrals' }], card: { sourceId: 2 } },
  ],
  [
    'HubSpot without city, state and company',
    'hubspot',
    {
      'First Name': 'Ana',
      'Phone Number': phone,
      'Country/Region': 'United States',
      'Lifecycle Stage': 'Opportunity',
    },
    { extraInfo: [{ name: 'location', value: 'United States' }], card: { title: 'Ana' } },
  ],
  [
    'Pipedrive with the number under Other, no value and two labels',
    'pipedrive',
    {
      'Person - Name': 'Ana',
      'Person - Phone - Other': phone,
      'Person - Labels': 'Customer, Hot lead',
      'Deal - Label': 'Hot, Warm',
      'Deal - Value': '',
      'Deal - Status': 'Open',
      'Deal - Stage': 'Qualified',
    },
    {
      tags: ['cliente', 'lead', 'morno', 'pipedrive', 'quente'],
      card: { stage: 'Qualified', customFields: {} },
    },
  ],
  [
    'Pipedrive in Portuguese',
    'pipedrive',
    {
      'Pessoa - Nome': 'Ana',
      'Pessoa - Telefone - Celular': phone,
      'Pessoa - E-mail - Trabalho': 'ana@example.com',
      'Negócio - Título': 'Plano',
      'Negócio - Status': 'Aberto',
      'Negócio - Etapa': 'Proposta feita',
      'Negócio - Valor': '1200',
      'Negócio - Etiqueta': 'Quente',
    },
    {
      contact: { number: NUMBER, name: 'Ana', email: 'ana@example.com' },
      tags: ['lead', 'pipedrive', 'quente'],
      card: { stage: 'Proposal made', title: 'Plano', customFields: { valor: 1200 } },
    },
  ],
  [
    'Salesforce by the names of its API',
    'salesforce',
    { FirstName: 'Ana', LastName: 'Muniz', MobilePhone: phone, DoNotCall: 'true', StageName: 'Closed Won' },
    { contact: { number: NUMBER, name: 'Ana Muniz', disableBot: true }, tags: ['cliente', 'salesforce'] },
  ],
  [
    'Kommo in English',
    'kommo',
    {
      'Main contact': 'Ana',
      'Mobile phone (contact)': phone,
      'Lead tags': 'vip, frio',
      'Lead stage': 'Initial contact',
      'Lead title': 'Lead #1',
    },
    {
      contact: { number: NUMBER, name: 'Ana' },
      tags: ['frio', 'kommo', 'vip'],
      card: { stage: 'Novo', title: 'Lead #1' },
    },
  ],
  [
    'Google Contacts before 2024, with two numbers in a cell',
    'google-contacts',
    {
      Name: 'Ana Muniz',
      'Given Name': 'Ana',
      'Group Membership': 'cliente ::: * myContacts',
      'Phone 1 - Value': `${phone} ::: +55 11 3333-4444`,
    },
    { contact: { number: NUMBER, name: 'Ana Muniz' }, tags: ['cliente', 'google-contacts'] },
  ],
  [
    'Google Contacts without labels',
    'google-contacts',
    { 'First Name': 'Ana', Labels: '* myContacts', 'Phone 2 - Value': phone },
    { contact: { number: NUMBER, name: 'Ana' }, tags: ['google-contacts'] },
  ],
];

it.each(cases)('%s', async (_, preset, row, wanted) => {
  const config = MappingConfig.parse(parse(await readFile(join(EXAMPLES, preset, 'mapping.yaml'), 'utf8')));
  const result = await compileMapping(config).apply(row);
  expect(result).toMatchObject({ ok: true, warnings: [], record: wanted });
});

it('Pipedrive keeps a person whose label and channel are not in its tables', async () => {
  const config = MappingConfig.parse(parse(await readFile(join(EXAMPLES, 'pipedrive/mapping.yaml'), 'utf8')));
  const result = await compileMapping(config).apply({
    'Person - Phone': phone,
    'Person - Labels': 'Cold lead, Hot lead',
    'Deal - Label': 'Frozen',
    'Deal - Source channel': 'Marketplace',
    'Deal - Status': 'Open',
    'Deal - Stage': 'Qualified',
  });
  expect(result).toMatchObject({
    ok: true,
    record: { tags: ['lead', 'pipedrive', 'quente'], card: { stage: 'Qualified' } },
    warnings: [
      { field: 'tags.1', code: 'not_in_map', value: 'Frozen' },
      { field: 'tags.2', code: 'not_in_map', value: 'Cold lead' },
      { field: 'card.source', code: 'not_in_map', value: 'Marketplace' },
    ],
  });
});
