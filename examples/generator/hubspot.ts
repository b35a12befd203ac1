// A contacts export of HubSpot: every cell in quotes, commas, UTF-8, contacts of several countries.
import {
  csvLine,
  date,
  hasShortForm,
  type Person,
  Random,
  respell,
  writeMobile,
  writeShort,
} from './people.ts';

const HEADER = [
  'Record ID',
  'First Name',
  'Last Name',
  'Email',
  'Phone Number',
  'Mobile Phone Number',
  'Contact owner',
  'Lead Status',
  'Lifecycle Stage',
  'Marketing contact status',
  'Job Title',
  'Company Name',
  'City',
  'State/Region',
  'Country/Region',
  'Original Traffic Source',
  'Unsubscribed from all email',
  'Create Date',
  'Last Activity Date',
  'Associated Company',
  'Notes',
];

const US_FIRST = [
  'Avery',
  'Blake',
  'Casey',
  'Dana',
  'Emerson',
  'Finley',
  'Harper',
  'Jordan',
  'Kai',
  'Logan',
  'Morgan',
  'Noël',
  'Parker',
  'Quinn',
  'Renée',
  'Sage',
  'Taylor',
  'Zoë',
];
const US_LAST = [
  'Alder',
  "O'Brien-Vale",
  'Birch',
  'Calloway',
  'Dunmore',
  'Ellery',
  'Fairbank',
  'Garrick',
  'Hollis',
  'Ingram',
  'Juniper',
  'Kestrel',
  'Larkin',
  'Mercer',
  'Núñez',
  'Orchard',
  'Pryce',
  'Rowan',
];
const US_CITIES = [
  ['New York', 'NY', '212'],
  ['Los Angeles', 'CA', '213'],
  ['Chicago', 'IL', '312'],
  ['Houston', 'TX', '713'],
  ['Boston', 'MA', '617'],
  ['Seattle', 'WA', '206'],
  ['Denver', 'CO', '303'],
  ['Miami', 'FL', '305'],
  ['Atlanta', 'GA', '404'],
  ['Portland', 'OR', '503'],
] as const;
const STAGES = [
  'Subscriber',
  'Lead',
  'Lead',
  'Marketing Qualified Lead',
  'Sales Qualified Lead',
  'Opportunity',
  'Customer',
  'Evangelist',
  'Other',
  '',
];
const STATUSES = [
  'New',
  'Open',
  'In Progress',
  'Open Deal',
  'Unqualified',
  'Attempted to Contact',
  'Connected',
  'Bad Timing',
  '',
];
const SOURCES = [
  'Organic Search',
  'Paid Search',
  'Email Marketing',
  'Organic Social',
  'Referrals',
  'Direct Traffic',
  'Offline Sources',
];

type Cells = Record<string, string>;

function common(random: Random, index: number): Cells {
  const day = date(-random.int(500)).iso;
  return {
    'Record ID': String(151_000_000 + index * 37),
    'Contact owner': random.pick(['Ana Muniz', 'Otávio Serrão', 'Júlia Peçanha', '']),
    'Lead Status': random.pick(STATUSES),
    'Lifecycle Stage': random.pick(STAGES),
    'Marketing contact status': random.pick(['Marketing contact', 'Non-marketing contact']),
    'Job Title': random.pick(['', 'Owner', 'Head of Sales', 'Buyer, Retail', 'CTO', 'Office Manager']),
    'Original Traffic Source': random.pick(SOURCES),
    'Unsubscribed from all email': random.pick(['', 'false', 'false', 'true']),
    'Create Date': `${day} ${String(8 + random.int(10)).padStart(2, '0')}:${String(random.int(60)).padStart(2, '0')}`,
    'Last Activity Date': random.chance(0.6) ? `${date(-random.int(60)).iso} 10:15` : '',
    Notes: random.pick([
      '',
      '',
      '',
      'Met at the fair, wants a demo',
      'Said "call me in May"',
      'Line one\nline two',
    ]),
  };
}

/** +1 … 555-0100 to 555-0199: numbers reserved for fiction. */
function american(random: Random, index: number): Cells {
  const [city, state, area] = US_CITIES[index % US_CITIES.length] as (typeof US_CITIES)[number];
  const line = `01${String(Math.floor(index / US_CITIES.length) % 100).padStart(2, '0')}`;
  const first = random.pick(US_FIRST);
  const last = random.pick(US_LAST);
  const company = `${random.pick(US_LAST)} ${random.pick(['Labs', 'Foods, Inc.', 'Partners LLC', 'Co'])}`;
  const phone = random.pick([
    `(${area}) 555-${line}`,
    `+1 ${area}-555-${line}`,
    `${area}.555.${line}`,
    `1${area}555${line}`,
    `${area}-555-${line} ext. ${10 + random.int(90)}`,
    `+1${area}555${line}`,
  ]);
  return {
    ...common(random, index),
    'First Name': first,
    'Last Name': last,
    Email: random.chance(0.9)
      ? `${first
          .normalize('NFD')
          .replace(/[^A-Za-z]/g, '')
          .toLowerCase()}${index}@example.com`
      : '',
    ...(random.chance(0.5) ? { 'Phone Number': phone } : { 'Mobile Phone Number': phone }),
    'Company Name': company,
    'Associated Company': company,
    City: city,
    'State/Region': state,
    'Country/Region': 'United States',
  };
}

function brazilian(random: Random, person: Person, phone: string): Cells {
  return {
    ...common(random, 5000 + person.index),
    'First Name': person.first,
    'Last Name': person.last,
    Email: random.chance(0.9) ? person.email : '',
    'Mobile Phone Number': phone,
    'Company Name': person.company,
    'Associated Company': person.company,
    City: person.city.name,
    'State/Region': person.city.state,
    'Country/Region': 'Brazil',
  };
}

const withCode = (phone: string): string =>
  phone.startsWith('+') ? phone : `+55 ${phone.replace(/^(55(?=\d{11}$)|0 15 |0)/, '')}`;

const DEFECTS: ((row: Cells) => void)[] = [
  ...['1-800-FLOWERS', 'unknown', 'see notes'].map((text) => phone(text)),
  ...['5.51199E+12', '1.21256E+10'].map((text) => phone(text)),
  ...['555-0142', '212 555', '+1 999 555 0142'].map((text) => phone(text)),
  ...['', '', 'n/a'].map((text) => phone(text)),
  ...['renée@', 'no-at-sign.example.com', 'two@@example.com'].map(
    (text) => (row: Cells) => void (row.Email = text),
  ),
  (row) => void (row['Unsubscribed from all email'] = 'maybe'),
];

function phone(text: string): (row: Cells) => void {
  return (row) => void Object.assign(row, { 'Phone Number': text, 'Mobile Phone Number': '' });
}

/** @returns the file's bytes, UTF-8 */
export function hubSpot(people: readonly Person[]): Buffer {
  const random = new Random(20260202);
  const rows: Cells[] = [];
  for (let index = 0; index < 420; index += 1) rows.push(american(random, index));
  for (const person of people.slice(0, 240))
    rows.push(brazilian(random, person, withCode(writeMobile(random, person))));
  for (const person of people.filter((each) => hasShortForm(each.index)).slice(0, 20)) {
    const row = brazilian(random, person, `+55 ${writeShort(person)}`);
    rows.push({ ...row, 'First Name': respell(random, person.first), 'Record ID': `${row['Record ID']}1` });
  }
  for (let index = 0; index < 30; index += 1) {
    const row = rows[index * 9] as Cells;
    rows.push({
      ...row,
      'Last Name': respell(random, row['Last Name'] ?? ''),
      'Record ID': `${row['Record ID']}2`,
    });
  }
  const step = Math.floor(rows.length / (DEFECTS.length + 1));
  DEFECTS.forEach((spoil, index) => spoil(rows[(index + 1) * step - 1] as Cells));
  const lines = rows.map((row) =>
    csvLine(
      HEADER.map((name) => row[name] ?? ''),
      ',',
      true,
    ),
  );
  lines.splice(77, 0, '"151999001","Cut","Off"');
  lines.splice(500, 0, `${lines[499]},"one more cell"`);
  return Buffer.from(`${csvLine(HEADER, ',', true)}\n${lines.join('\n')}\n`);
}
