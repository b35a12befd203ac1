// Writes the example exports and the sandbox's fixture. Fixed seeds make every run write the same files.
//
//   node examples/generate.ts [folder]     (Node 22.18 or newer reads TypeScript; the default folder is the script's own)
//
// Every person, company and number is invented. E-mail addresses use example domains. Numbers of the United States are in
// the range reserved for fiction. Brazilian numbers begin with digits that no carrier assigns, except a few that must
// predate the ninth digit.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { googleContacts } from './generator/google-contacts.ts';
import { hubSpot } from './generator/hubspot.ts';
import { kommo } from './generator/kommo.ts';
import { makePeople, Random } from './generator/people.ts';
import { pipedrive } from './generator/pipedrive.ts';
import { rdStation } from './generator/rdstation.ts';
import { salesforce } from './generator/salesforce.ts';
import { sandbox } from './generator/sandbox.ts';

/** File name → bytes, for all generated files of this folder. */
export function generate(): Map<string, Buffer> {
  const everyone = makePeople(new Random(20251231), 376);
  const people = everyone.slice(0, 370);
  const strangers = everyone.slice(370);
  return new Map([
    ['rdstation/negociacoes.csv', rdStation(people)],
    ['hubspot/contacts.csv', hubSpot(people)],
    ['pipedrive/deals.csv', pipedrive(people)],
    ['salesforce/contacts.csv', salesforce(people)],
    ['kommo/leads.csv', kommo(people)],
    ['google-contacts/contacts.csv', googleContacts(people)],
    ['sandbox.yaml', Buffer.from(sandbox(people, strangers))],
  ]);
}

const script = fileURLToPath(import.meta.url);
if (process.argv[1] === script) {
  const folder = process.argv[2] ?? dirname(script);
  for (const [name, bytes] of generate()) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    process.stdout.write(`${name}\n`);
  }
}
