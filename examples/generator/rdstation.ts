// A deals export of a Brazilian CRM, in the columns of RD Station CRM, saved with a Brazilian Excel: `;` and Latin-1.
import {
  csvLine,
  date,
  hasShortForm,
  type Person,
  Random,
  respell,
  writeLandline,
  writeMobile,
  writeShort,
} from './people.ts';

const HEADER = [
  'Nome',
  'Empresa',
  'Qualificação',
  'Funil de vendas',
  'Etapa',
  'Estado',
  'Motivo de Perda',
  'Valor Único',
  'Valor Recorrente',
  'Pausada',
  'Data de criação',
  'Previsão de fechamento',
  'Fonte',
  'Campanha',
  'Responsável',
  'Produtos',
  'Contatos',
  'Cargo',
  'Email',
  'Telefone',
  'Cidade',
  'UF',
  'CPF',
  'Não contatar',
  'Anotações',
];

const STAGES = [
  'Sem contato',
  'Contato feito',
  'Identificação do interesse',
  'Apresentação',
  'Proposta enviada',
  'Negociação',
];
const SOURCES = [
  'Busca Orgânica | Google',
  'Busca Paga | Google',
  'Indicação',
  'Site',
  'Facebook Ads',
  'Feira',
  '',
];
const PRODUCTS = ['Plano Essencial', 'Plano Profissional', 'Plano Empresarial', 'Consultoria', 'Treinamento'];
const NOTES = [
  '',
  '',
  '',
  'Prefere contato à tarde',
  'Pediu proposta; aguardando retorno',
  'Disse: "só depois do carnaval"',
  'Ligar às 9h.\r\nFalar com a secretária.',
  'Não gostou do preço – oferecer 10% de desconto',
];

type Cells = Record<string, string>;

function money(random: Random): string {
  const cents = (200 + random.int(4800)) * 1000 + random.pick([0, 50, 90]);
  return (cents / 100).toLocaleString('pt-BR', { minimumFractionDigits: 2 });
}

function makeRow(random: Random, person: Person): Cells {
  const state = random.pick(['Em andamento', 'Em andamento', 'Em andamento', 'Vendida', 'Perdida']);
  return {
    Nome: `${random.pick(PRODUCTS)} - ${person.company}`,
    Empresa: person.company,
    Qualificação: random.pick(['1', '2', '3', '4', '5', '']),
    'Funil de vendas': 'Funil Padrão',
    Etapa: random.pick(STAGES),
    Estado: state,
    'Motivo de Perda': state === 'Perdida' ? random.pick(['Preço', 'Sem resposta', 'Concorrente']) : '',
    'Valor Único': random.chance(0.8) ? money(random) : '',
    'Valor Recorrente': random.chance(0.3) ? money(random) : '',
    Pausada: random.chance(0.1) ? 'Sim' : 'Não',
    'Data de criação': date(-random.int(400)).br,
    'Previsão de fechamento': state === 'Em andamento' ? date(20 + random.int(300)).br : '',
    Fonte: random.pick(SOURCES),
    Campanha: random.pick(['', '', 'Volta às aulas', 'Black Friday', 'Mês da mulher']),
    Responsável: random.pick(['Ana Muniz', 'Otávio Serrão', 'Júlia Peçanha']),
    Produtos: random.chance(0.7) ? random.pick(PRODUCTS) : `${PRODUCTS[3]}, ${PRODUCTS[4]}`,
    Contatos: `${person.first} ${person.last}`,
    Cargo: random.pick(['', 'Sócia', 'Gerente', 'Diretor(a)', 'Compras', 'Proprietário']),
    Email: random.chance(0.85) ? person.email : '',
    Telefone: random.chance(0.85) ? writeMobile(random, person) : writeLandline(random, person),
    Cidade: person.city.name,
    UF: person.city.state,
    CPF: random.chance(0.5) ? person.cpf : '',
    'Não contatar': random.chance(0.06) ? 'Sim' : random.pick(['Não', 'Não', '']),
    Anotações: random.pick(NOTES),
  };
}

/** Defects of some rows, in the order in which rows get them. */
const DEFECTS: ((row: Cells, random: Random) => void)[] = [
  ...['(11) 9CALL-AGORA', 'não informado', 'ver com a Jéssica', 'WhatsApp do filho'].map(
    (text) => (row: Cells) => void (row.Telefone = text),
  ),
  ...['5,51199E+12', '5,5219E+12', '1,19005E+10'].map((text) => (row: Cells) => void (row.Telefone = text)),
  ...['90012-34', '9012-3456', '(11) 90012-345'].map((text) => (row: Cells) => void (row.Telefone = text)),
  ...['', ' ', '-'].map((text) => (row: Cells) => void (row.Telefone = text)),
  ...['bia@', 'sem e-mail', 'joao.example.com', 'contato@@example.com'].map(
    (text) => (row: Cells) => void (row.Email = text),
  ),
  (row) => void Object.assign(row, { Estado: 'Em andamento', 'Previsão de fechamento': '31/02/2026' }),
  (row) =>
    void Object.assign(row, { Estado: 'Em andamento', 'Previsão de fechamento': 'assim que possível' }),
  (row) => void (row['Não contatar'] = 'talvez'),
  (row) => void Object.assign(row, { Estado: 'Em andamento', Etapa: 'Etapa antiga' }),
  (row) => void Object.assign(row, { Telefone: '(00) 90000-0000', 'Não contatar': '?' }),
];

/** @returns the file's bytes, Latin-1 as windows-1252 */
export function rdStation(people: readonly Person[]): Buffer {
  const random = new Random(20260101);
  const rows: Cells[] = people.map((person) => makeRow(random, person));
  // The same person again: other spelling, other deal, or the number from before the ninth digit.
  for (const person of people.filter((each) => hasShortForm(each.index)).slice(0, 14)) {
    rows.push({
      ...makeRow(random, person),
      Telefone: writeShort(person),
      Contatos: respell(random, `${person.first} ${person.last}`),
    });
  }
  for (const person of people.slice(0, 60).filter((_, index) => index % 5 === 0)) {
    rows.push({
      ...makeRow(random, person),
      Telefone: writeMobile(random, person),
      Contatos: respell(random, `${person.first} ${person.last}`),
    });
  }
  // Several numbers in one cell: the first valid one counts.
  for (const row of rows.slice(100, 106)) row.Telefone = `${row.Telefone} / (11) 2000-0000`;
  for (const row of rows.slice(106, 109)) row.Telefone = `n/d; ${row.Telefone}`;
  const step = Math.floor(rows.length / (DEFECTS.length + 1));
  DEFECTS.forEach((spoil, index) => spoil(rows[(index + 1) * step - 1] as Cells, random));

  const lines = rows.map((row) =>
    csvLine(
      HEADER.map((name) => row[name] ?? ''),
      ';',
    ),
  );
  // Rows that somebody edited by hand: cut off, or with too many cells.
  lines.splice(40, 0, 'Plano Essencial - Ipê Saúde ME;Ipê Saúde ME;3;Funil Padrão');
  lines.splice(
    150,
    0,
    `${csvLine(
      HEADER.map((name) => rows[7]?.[name] ?? ''),
      ';',
    )};a mais;a mais`,
  );
  lines.splice(260, 0, `Consultoria - Rio Têxtil Ltda;${Array(HEADER.length).fill('x').join(';')}`);
  return windows1252(`${csvLine(HEADER, ';')}\r\n${lines.join('\r\n')}\r\n`);
}

function windows1252(text: string): Buffer {
  // The only character of these texts outside ISO 8859-1 is the dash, 0x96 in windows-1252.
  return Buffer.from(text.replaceAll('–', '\x96'), 'latin1');
}
