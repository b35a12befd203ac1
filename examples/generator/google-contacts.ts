// An export of Google Contacts (Export → Google CSV): one cell has several numbers or labels, separated by ` ::: `.
import { csvLine, type Person, Random, writeLandline, writeMobile } from './people.ts';

const HEADER = [
  'First Name',
  'Middle Name',
  'Last Name',
  'Nickname',
  'File As',
  'Organization Name',
  'Organization Title',
  'Birthday',
  'Notes',
  'Labels',
  'E-mail 1 - Label',
  'E-mail 1 - Value',
  'E-mail 2 - Label',
  'E-mail 2 - Value',
  'Phone 1 - Label',
  'Phone 1 - Value',
  'Phone 2 - Label',
  'Phone 2 - Value',
  'Custom Field 1 - Label',
  'Custom Field 1 - Value',
];

type Cells = Record<string, string>;

function makeRow(random: Random, person: Person): Cells {
  const mobile = writeMobile(random, person);
  return {
    'First Name': person.first,
    'Last Name': person.last,
    'Organization Name': random.chance(0.5) ? person.company : '',
    Notes: random.chance(0.2) ? 'Conhecemos na feira.\nGosta de café.' : '',
    Labels: random.pick([
      '* myContacts',
      'cliente ::: * myContacts',
      'vip ::: cliente ::: * myContacts',
      '* starred ::: * myContacts',
    ]),
    'E-mail 1 - Label': '* Home',
    'E-mail 1 - Value': random.chance(0.6) ? person.email : '',
    'Phone 1 - Label': 'Mobile',
    'Phone 1 - Value': random.chance(0.15) ? `${mobile} ::: ${writeLandline(random, person)}` : mobile,
    'Phone 2 - Label': random.chance(0.3) ? 'Work' : '',
  };
}

const DEFECTS: ((row: Cells) => void)[] = [
  (row) => void (row['Phone 1 - Value'] = ''),
  (row) => void Object.assign(row, { 'First Name': 'Pizzaria', 'Last Name': '', 'Phone 1 - Value': '*144' }),
  (row) => void Object.assign(row, { 'Phone 2 - Value': row['Phone 1 - Value'], 'Phone 1 - Value': '' }),
  (row) => void (row['E-mail 1 - Value'] = 'ana(at)example.com'),
];

/** @returns the file's bytes, UTF-8 */
export function googleContacts(people: readonly Person[]): Buffer {
  const random = new Random(20260606);
  const rows = people.slice(290, 350).map((person) => makeRow(random, person));
  const step = Math.floor(rows.length / (DEFECTS.length + 1));
  DEFECTS.forEach((spoil, index) => spoil(rows[(index + 1) * step - 1] as Cells));
  const lines = [HEADER, ...rows.map((row) => HEADER.map((name) => row[name] ?? ''))];
  return Buffer.from(`${lines.map((cells) => csvLine(cells, ',')).join('\r\n')}\r\n`);
}
