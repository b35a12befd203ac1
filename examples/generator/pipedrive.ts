// A deals export of Pipedrive with the columns of the person added: `Deal - …` and `Person - …`, commas, UTF-8 with a mark.
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
  'Deal - ID',
  'Deal - Title',
  'Deal - Value',
  'Deal - Currency of Value',
  'Deal - Pipeline',
  'Deal - Stage',
  'Deal - Status',
  'Deal - Label',
  'Deal - Owner',
  'Deal - Organization',
  'Deal - Contact person',
  'Deal - Expected close date',
  'Deal - Lost reason',
  'Deal - Deal created',
  'Deal - Source channel',
  'Person - ID',
  'Person - Name',
  'Person - Email - Work',
  'Person - Email - Home',
  'Person - Phone - Work',
  'Person - Phone - Home',
  'Person - Phone - Mobile',
  'Person - Phone - Other',
  'Person - Label',
  'Person - Marketing status',
];

const STAGES = ['Qualified', 'Contact Made', 'Demo Scheduled', 'Proposal Made', 'Negotiations Started'];
const LABELS = ['Hot', 'Warm', 'Cold', '', ''];

type Cells = Record<string, string>;

function makeRow(random: Random, person: Person, id: number): Cells {
  const status = random.pick(['Open', 'Open', 'Open', 'Won', 'Lost']);
  const name = `${person.first} ${person.last}`;
  return {
    'Deal - ID': String(id),
    'Deal - Title': `${person.company} deal`,
    'Deal - Value': String(500 + random.int(400) * 25),
    'Deal - Currency of Value': 'BRL',
    'Deal - Pipeline': 'Pipeline',
    'Deal - Stage': random.pick(STAGES),
    'Deal - Status': status,
    'Deal - Label': random.pick(LABELS),
    'Deal - Owner': random.pick(['Ana Muniz', 'Otávio Serrão', 'Júlia Peçanha']),
    'Deal - Organization': person.company,
    'Deal - Contact person': name,
    'Deal - Expected close date':
      status === 'Open' && random.chance(0.8) ? date(30 + random.int(200)).iso : '',
    'Deal - Lost reason': status === 'Lost' ? random.pick(['Price', 'No answer', 'Competitor']) : '',
    'Deal - Deal created': `${date(-random.int(300)).iso} 09:30:00`,
    'Deal - Source channel': random.pick(['Website', 'Referral', 'Website', '']),
    'Person - ID': String(9000 + person.index),
    'Person - Name': name,
    'Person - Email - Work': random.chance(0.8) ? person.email : '',
    'Person - Email - Home': random.chance(0.1) ? `casa.${person.email}` : '',
    'Person - Phone - Work': random.chance(0.4) ? writeLandline(random, person) : '',
    'Person - Phone - Home': '',
    'Person - Phone - Mobile': writeMobile(random, person),
    'Person - Label': random.pick(['Customer', 'Hot lead', 'Warm lead', 'Customer, Hot lead', '', '']),
    'Person - Marketing status': random.pick(['Subscribed', 'No consent', 'Unsubscribed', 'Archived']),
  };
}

const noMobile = (text: string) => (row: Cells) =>
  void Object.assign(row, {
    'Person - Phone - Mobile': text,
    'Person - Phone - Work': '',
    'Person - Phone - Home': '',
    'Person - Phone - Other': '',
  });

const DEFECTS: ((row: Cells) => void)[] = [
  ...['call reception', '(21) 9-LIGUE-JA'].map(noMobile),
  ...['5.52199E+12', '2.19012E+10'].map(noMobile),
  ...['90012-3456', '(10) 90012-3456', '+55 21 90012 34567'].map(noMobile),
  ...['', ''].map(noMobile),
  ...['otavio(at)example.com', 'sofia@example'].map(
    (text) => (row: Cells) => void (row['Person - Email - Work'] = text),
  ),
  (row) => void Object.assign(row, { 'Deal - Status': 'Open', 'Deal - Expected close date': '2026-02-30' }),
  (row) => void Object.assign(row, { 'Deal - Status': 'Open', 'Deal - Stage': 'Renamed stage' }),
];

/** @returns the file's bytes, UTF-8 with a byte order mark */
export function pipedrive(people: readonly Person[]): Buffer {
  const random = new Random(20260303);
  const chosen = people.slice(120);
  const rows = chosen.map((person, index) => makeRow(random, person, 1 + index));
  chosen
    .filter((person) => hasShortForm(person.index))
    .slice(0, 16)
    .forEach((person, index) => {
      const name = respell(random, `${person.first} ${person.last}`);
      rows.push({
        ...makeRow(random, person, 2000 + index),
        'Person - Name': name,
        'Person - Phone - Mobile': writeShort(person),
      });
    });
  chosen.slice(0, 40).forEach((person, index) => rows.push(makeRow(random, person, 3000 + index)));
  // Fields that people leave empty, fill twice, or fill elsewhere.
  rows.forEach((row, index) => {
    if (index % 17 === 3) row['Deal - Value'] = '';
    if (index % 13 === 5) row['Deal - Label'] = 'Hot, Warm';
    if (index % 29 === 7)
      Object.assign(row, {
        'Person - Phone - Other': row['Person - Phone - Mobile'],
        'Person - Phone - Mobile': '',
        'Person - Phone - Work': '',
      });
  });
  const step = Math.floor(rows.length / (DEFECTS.length + 1));
  DEFECTS.forEach((spoil, index) => spoil(rows[(index + 1) * step - 1] as Cells));
  const lines = rows.map((row) =>
    csvLine(
      HEADER.map((name) => row[name] ?? ''),
      ',',
    ),
  );
  lines.splice(33, 0, '901,Half a row,1200');
  lines.splice(
    200,
    0,
    `902,Fênix, deal,${Array(HEADER.length - 2)
      .fill('x')
      .join(',')}`,
  );
  return Buffer.from(`\ufeff${csvLine(HEADER, ',')}\n${lines.join('\n')}\n`);
}
