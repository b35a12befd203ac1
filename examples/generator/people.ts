// Invents people, the same ones on every run, with a seeded random generator and tables to choose from.

/** mulberry32: small, seeded, the same on every machine. */
export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from 0 to `below` - 1. */
  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)] as T;
  }
}

export interface City {
  readonly name: string;
  readonly state: string;
  readonly area: string;
}

export interface Person {
  readonly index: number;
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly company: string;
  readonly city: City;
  /** Nine digits after the area code, the ninth digit first. */
  readonly mobile: string;
  /** Eight digits after the area code. */
  readonly landline: string;
  readonly cpf: string;
}

const FIRST =
  'Ana Beatriz Antônio Bruno Camila Carlos César Cláudia Débora Diego Eduardo Élida Fábio Fernanda Flávia Gabriel Gonçalo Heloísa Henrique Iara Inês Ítalo Jéssica João José Júlia Larissa Letícia Lúcia Luís Marcelo Márcia Mariana Matheus Mônica Murilo Natália Otávio Patrícia Paulo Rafael Renata Ricardo Sérgio Sofia Taís Thiago Úrsula Vinícius Vitória Yasmin'.split(
    ' ',
  );
const LAST =
  'Abrantes Albuquerque Almeida Amâncio Araújo Assunção Barbosa Beltrão Brandão Cardoso Castelão Conceição Cordeiro Corrêa Drummond Esteves Fagundes Falcão Figueirêdo Galvão Gonçalves Guimarães Junqueira Lourenço Magalhães Meirelles Mourão Muniz Negrão Paixão Peçanha Pimentel Quintão Rebouças Sampaio Serrão Simões Taváres Valadão Vasconcelos Viégas Xavier'.split(
    ' ',
  );
const COMPANY_A =
  'Aurora Boreal Cambará Dourado Estrela Fênix Girassol Horizonte Ipê Jacarandá Litoral Maçã Nascente Órbita Pequi Quilombo Rio Serra Tâmara Videira'.split(
    ' ',
  );
const COMPANY_B = [
  'Alimentos',
  'Arquitetura',
  'Clínica',
  'Construções',
  'Educação',
  'Logística',
  'Móveis',
  'Odontologia',
  'Papelaria',
  'Saúde',
  'Tecnologia',
  'Têxtil',
];
const COMPANY_C = ['Ltda', 'ME', 'S.A.', 'EIRELI', '& Filhos', ''];

const CITIES: readonly City[] = [
  { name: 'São Paulo', state: 'SP', area: '11' },
  { name: 'São José dos Campos', state: 'SP', area: '12' },
  { name: 'Ribeirão Preto', state: 'SP', area: '16' },
  { name: 'Rio de Janeiro', state: 'RJ', area: '21' },
  { name: 'Vitória', state: 'ES', area: '27' },
  { name: 'Belo Horizonte', state: 'MG', area: '31' },
  { name: 'Uberlândia', state: 'MG', area: '34' },
  { name: 'Maringá', state: 'PR', area: '44' },
  { name: 'Florianópolis', state: 'SC', area: '48' },
  { name: 'Santa Maria', state: 'RS', area: '55' },
  { name: 'Brasília', state: 'DF', area: '61' },
  { name: 'Goiânia', state: 'GO', area: '62' },
  { name: 'Cuiabá', state: 'MT', area: '65' },
  { name: 'Salvador', state: 'BA', area: '71' },
  { name: 'Maceió', state: 'AL', area: '82' },
  { name: 'Belém', state: 'PA', area: '91' },
  { name: 'São Luís', state: 'MA', area: '98' },
];

const ascii = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();

/**
 * `count` people. Mobile numbers begin with 90, which no Brazilian carrier assigns. Every eighth begins with 96000, because
 * only numbers from before the ninth digit have a short form. E-mail addresses use example domains.
 */
export function makePeople(random: Random, count: number): Person[] {
  return Array.from({ length: count }, (_, index) => {
    const first = random.pick(FIRST);
    const last = random.chance(0.4)
      ? `${random.pick(LAST)} ${random.pick(['de ', 'da ', ''])}${random.pick(LAST)}`
      : random.pick(LAST);
    const company = [random.pick(COMPANY_A), random.pick(COMPANY_B), random.pick(COMPANY_C)].join(' ').trim();
    const serial = String(index).padStart(4, '0');
    return {
      index,
      first,
      last,
      email: `${ascii(first)}.${ascii(last.split(' ').at(-1) ?? last)}${index}@${random.pick(['example.com', 'example.org', 'mail.example.net'])}`,
      company,
      city: random.pick(CITIES),
      mobile: hasShortForm(index)
        ? `96000${serial}`
        : `90${random.int(10)}${random.int(10)}${random.int(10)}${serial}`,
      landline: `20${random.int(10)}${random.int(10)}${serial}`,
      cpf: `000.${String(index)
        .padStart(6, '0')
        .replace(/(\d{3})(\d{3})/, '$1.$2')}-00`,
    };
  });
}

/** Whether this person's number has a form without the ninth digit. */
export const hasShortForm = (index: number): boolean => index % 8 === 3;

export const e164 = (person: Person): string => `55${person.city.area}${person.mobile}`;
export const e164Short = (person: Person): string => `55${person.city.area}${person.mobile.slice(1)}`;

/** The ways in which people type a Brazilian mobile number. */
export function writeMobile(random: Random, person: Person): string {
  const { area } = person.city;
  const [a, b] = [person.mobile.slice(0, 5), person.mobile.slice(5)];
  return random.pick([
    `(${area}) ${a}-${b}`,
    `(${area}) ${a}-${b}`,
    `(${area})${a}-${b}`,
    `${area} ${a}-${b}`,
    `${area}${a}${b}`,
    `+55 ${area} ${a}-${b}`,
    `+55 (${area}) ${a}-${b}`,
    `55${area}${a}${b}`,
    `0${area} ${a}-${b}`,
    `0 15 ${area} ${a}-${b}`,
    `${area}.${a}.${b}`,
    `+55${area}${a}${b}`,
  ]);
}

/** The same number as it was written before the ninth digit. */
export function writeShort(person: Person): string {
  return `(${person.city.area}) ${person.mobile.slice(1, 5)}-${person.mobile.slice(5)}`;
}

export function writeLandline(random: Random, person: Person): string {
  const number = `(${person.city.area}) ${person.landline.slice(0, 4)}-${person.landline.slice(4)}`;
  return random.pick([
    number,
    `${number} ramal ${10 + random.int(80)}`,
    `+55 ${number.replace(/[()]/g, '')}`,
    `${number} ext. ${1 + random.int(9)}`,
  ]);
}

/** The same name as another clerk types it. */
export function respell(random: Random, name: string): string {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '');
  return random.pick([plain, name.toUpperCase(), plain.toLowerCase(), ` ${name}  `]);
}

const pad = (n: number): string => String(n).padStart(2, '0');

/** The day `offset` days after 2026-01-01. */
export function date(offset: number): { iso: string; br: string } {
  const day = new Date(Date.UTC(2026, 0, 1 + offset));
  const [y, m, d] = [day.getUTCFullYear(), pad(day.getUTCMonth() + 1), pad(day.getUTCDate())];
  return { iso: `${y}-${m}-${d}`, br: `${d}/${m}/${y}` };
}

/** Cells as CSV; quoted where needed, or everywhere. */
export function csvLine(cells: readonly string[], separator: string, always = false): string {
  return cells
    .map((cell) =>
      always || cell.includes(separator) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
    )
    .join(separator);
}
