// A leads export of Kommo in Portuguese: numbers after an apostrophe, tags in one cell, dates with dots.
import { csvLine, date, type Person, Random, writeMobile } from './people.ts';

const HEADER = [
  'ID',
  'Lead título',
  'Empresa do contato',
  'Contato principal',
  'Usuário responsável',
  'Etapa do lead',
  'Funil de vendas',
  'Venda',
  'Data Criada',
  'Data de fechamento',
  'Lead tags',
  'Celular (contato)',
  'Telefone comercial (contato)',
  'Outro telefone (contato)',
  'Email comercial (contato)',
  'Email pessoal (contato)',
  'Nota',
];

const STAGES = [
  'Contato inicial',
  'Discussões',
  'Tomada de decisão',
  'Discussão de contrato',
  'Fechado - ganho',
  'Fechado - perdido',
];

type Cells = Record<string, string>;

const dotted = (iso: string): string => iso.split('-').toReversed().join('.');

function makeRow(random: Random, person: Person): Cells {
  return {
    ID: String(7_000_000 + person.index),
    'Lead título': `Lead #${7_000_000 + person.index}`,
    'Empresa do contato': person.company,
    'Contato principal': `${person.first} ${person.last}`,
    'Usuário responsável': random.pick(['Ana Muniz', 'Otávio Serrão', 'Júlia Peçanha']),
    'Etapa do lead': random.pick(STAGES),
    'Funil de vendas': 'Funil de vendas',
    Venda: random.chance(0.7) ? String(100 + random.int(9000)) : '',
    'Data Criada': `${dotted(date(-random.int(200)).iso)} 10:15:00`,
    'Data de fechamento': random.chance(0.5) ? dotted(date(random.int(200)).iso) : '',
    'Lead tags': random.pick(['quente, vip', 'morno', 'frio', '', 'newsletter,morno']),
    'Celular (contato)': random.chance(0.7) ? `'+55${writeDigits(person)}` : writeMobile(random, person),
    'Email comercial (contato)': random.chance(0.8) ? person.email : '',
    Nota: random.chance(0.2) ? 'Pediu proposta.\nLigar depois do almoço; falar com a Ana.' : '',
  };
}

function writeDigits(person: Person): string {
  return `${person.city.area}${person.mobile}`;
}

const noMobile = (row: Cells): Cells => Object.assign(row, { 'Celular (contato)': '' });

const DEFECTS: ((row: Cells) => void)[] = [
  (row) => void (noMobile(row)['Outro telefone (contato)'] = '@cliente_sem_numero'),
  (row) => void noMobile(row),
  (row) => void (noMobile(row)['Telefone comercial (contato)'] = '+55 21 2043-0120'),
  (row) => void (row['Email comercial (contato)'] = 'sem e-mail'),
  (row) => void Object.assign(row, { 'Etapa do lead': 'Discussões', 'Data de fechamento': '31.02.2026' }),
];

/** @returns the file's bytes, UTF-8 with a byte order mark */
export function kommo(people: readonly Person[]): Buffer {
  const random = new Random(20260505);
  const rows = people.slice(200, 290).map((person) => makeRow(random, person));
  const step = Math.floor(rows.length / (DEFECTS.length + 1));
  DEFECTS.forEach((spoil, index) => spoil(rows[(index + 1) * step - 1] as Cells));
  const lines = [HEADER, ...rows.map((row) => HEADER.map((name) => row[name] ?? ''))];
  return Buffer.from(`\ufeff${lines.map((cells) => csvLine(cells, ',')).join('\r\n')}\r\n`);
}
