// The source and the sync of the bench `plan`: people with a name, an e-mail, two tags, two extra fields and a card.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunSpec } from '../../src/jobs/sync/contract/run.ts';

export const ROWS = Number.parseInt(process.env.PLAN_ROWS ?? '2000000', 10);
/** Number of people in the ledger when 1 % of the rows have changed. */
export const KNOWN_ROWS = ROWS / 2;

/** The result of a child's run: counted by the ledger, timed by itself, peak reported by the kernel. */
export interface Planned {
  readonly read: number;
  readonly pending: number;
  readonly seconds: number;
  readonly peakMb: number;
}

export const SPEC: RunSpec = RunSpec.parse({
  account: 'acme',
  sync: 'people',
  options: { account: 'acme', source: 'people', mapping: 'people' },
  source: { type: 'csv', path: 'people.csv' },
  mapping: {
    defaultCountry: 'BR',
    contact: { number: 'Telefone', name: 'Nome', email: 'Email' },
    tags: [{ const: 'crm' }, { path: 'Situação', map: { Ativo: 'cliente', Novo: 'lead' } }],
    extraInfo: { empresa: 'Empresa', cidade: '{{Cidade}} {{UF}}' },
    card: { pipeline: 'Vendas', stage: 'Etapa', title: 'Negócio' },
  },
});

/** The same sync as a configuration. Its token is not set, because planning needs none. */
export async function writeConfig(dir: string): Promise<void> {
  const { options, source, mapping } = SPEC;
  const config = {
    version: 1,
    accounts: { acme: { baseUrl: 'http://127.0.0.1:9/wapi', tokens: ['env:NO_TOKEN'] } },
    sources: { people: source },
    mappings: { people: mapping },
    syncs: { people: options },
  };
  await writeFile(join(dir, 'sluice.yaml'), JSON.stringify(config));
}

const STAGES = ['Novo', 'Contato', 'Proposta', 'Fechado'];
const CITIES = ['São Paulo,SP', 'Recife,PE', 'Curitiba,PR', 'Belém,PA', 'Santos,SP'];

/** Row `n` at the last run and now. Every `every`th person has a new name. */
export function rowOf(n: number, changed: boolean): Record<string, string> {
  const area = 11 + (n % 9);
  // Each number once, and none that counts as a placeholder, such as 9 6666-6666.
  const number = 967_000_000 + ((n * 7919) % 9_999_999);
  const [city = '', state = ''] = (CITIES[n % CITIES.length] as string).split(',');
  return {
    Nome: changed ? `Pessoa Renomeada ${n}` : `Pessoa da Silva ${n}`,
    Telefone: `(${area}) ${String(number).slice(0, 5)}-${String(number).slice(5)}`,
    Email: `pessoa.${n}@exemplo.com.br`,
    Situação: n % 3 === 0 ? 'Novo' : 'Ativo',
    Empresa: `Comércio ${n % 5000} Ltda`,
    Cidade: city,
    UF: state,
    Etapa: STAGES[n % STAGES.length] as string,
    Negócio: `Negócio ${n}`,
  };
}

export async function writeSource(path: string, rows: number, every: number): Promise<void> {
  const out = createWriteStream(path);
  out.write(`${Object.keys(rowOf(0, false)).join(',')}\n`);
  for (let n = 0; n < rows; n++) {
    const line = `${Object.values(rowOf(n, n % every === 0)).join(',')}\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}
