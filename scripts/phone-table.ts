// `npm run phone:table`: how example numbers of all regions are read, by spelling and by region, and what becomes of
// cells that hide digits, name another country's number, or hold something else.
import { parsePhone } from '../src/mapping/phone/index.ts';
import { type Hazard, hazards } from './phone-hazards.ts';
import { type Case, isReadable, measure, SETTINGS, type Tally, tallyBy } from './phone-spellings.ts';

const COLUMNS = ['read', 'wrong', 'ambiguous', 'placeholder', 'refused'] as const;
const WORST = 15;

const cases = measure(parsePhone);
process.stdout.write(
  `${cases.length} cells; spelling, default country: ${SETTINGS.join(', ')} (* to be read)\n`,
);
print(tallyBy(cases, nameOf));
const due = cases.filter(({ spelling, setting }) => isReadable(spelling, setting));
const worst = [...tallyBy(due, ({ example }) => example.region)].sort(
  (a, b) => missing(b[1]) - missing(a[1]),
);
process.stdout.write(`\nregions with the most cells that are to be read and are not\n`);
print(new Map(worst.slice(0, WORST)));
print(tallyBy(due, () => 'to be read'));
print(tallyBy(cases, () => 'all'));

printHazards(hazards());

function nameOf({ spelling, setting }: Case): string {
  return `${spelling.name}, ${setting}${isReadable(spelling, setting) ? ' *' : ''}`;
}

function missing({ wrong, ambiguous, placeholder, refused }: Tally): number {
  return wrong + ambiguous + placeholder + refused;
}

function print(tallies: ReadonlyMap<string, Tally>): void {
  process.stdout.write(`${''.padEnd(34)}${COLUMNS.map((name) => name.padStart(12)).join('')}      %\n`);
  for (const [name, tally] of tallies) {
    const share = (100 * tally.read) / (tally.read + missing(tally));
    const counts = COLUMNS.map((column) => String(tally[column]).padStart(12)).join('');
    process.stdout.write(`${name.padEnd(34)}${counts} ${share.toFixed(1).padStart(6)}\n`);
  }
}

/** Reads cells that are to be refused, or read as the number of the person. */
function printHazards(list: readonly Hazard[]): void {
  const rows = new Map<string, { own: number; refused: number; wrong: number }>();
  for (const { name, text, rules, truth } of list) {
    const row = rows.get(name) ?? { own: 0, refused: 0, wrong: 0 };
    const result = parsePhone(text, rules);
    row[result.ok ? (truth.includes(result.number) ? 'own' : 'wrong') : 'refused']++;
    rows.set(name, row);
  }
  process.stdout.write(`\ncells that are not one whole number         own     refused       wrong\n`);
  for (const [name, row] of rows) {
    const counts = [row.own, row.refused, row.wrong].map((count) => String(count).padStart(12)).join('');
    process.stdout.write(`${name.padEnd(34)}${counts}\n`);
  }
}
