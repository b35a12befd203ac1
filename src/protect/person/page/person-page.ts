// Everything that the ledger has of a person as a page that the person can read and print: one HTML document without
// scripts and without anything from elsewhere.
import type { Config } from '../../../config/schema/config.ts';
import { durationMs } from '../../../core/config/base.ts';
import type { PageLanguage } from '../../../operator/contract/people.ts';
import { KINDS } from '../../retention/kinds.ts';
import { PAGE_WORDS, type PageWords } from './words.ts';

/** How long each kind of data is kept. */
type Settings = Pick<Config, 'retention' | 'ingress'>;

type Row = Readonly<Record<string, unknown>>;

export interface ExportedPerson {
  readonly account: string;
  readonly person: string;
  /** ISO 8601. */
  readonly at: string;
  /** Rows by table. */
  readonly tables: Readonly<Record<string, readonly Row[]>>;
}

/** @returns an HTML document */
export function personPage(
  { account, person, at, tables }: ExportedPerson,
  language: PageLanguage,
  settings: Settings,
): string {
  const words = PAGE_WORDS[language];
  // What the person knows best comes first.
  const order = Object.keys(words.tables);
  const shown = Object.entries(tables).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const sections = shown.map(([table, rows]) => section(words, language, settings, table, rows));
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(words.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(words.title)}</h1>
<p>${escaped(words.intro)}</p>
<p>${escaped(words.made(timeText(at, language), account, person))}</p>
${sections.length === 0 ? `<p>${escaped(words.nothing)}</p>` : sections.join('\n')}
</body>
</html>
`;
}

function section(
  words: PageWords,
  language: PageLanguage,
  settings: Settings,
  table: string,
  rows: readonly Row[],
): string {
  const [title, why] = words.tables[table] ?? [table, ''];
  const kind = KINDS.find(({ tables }) => tables.includes(table));
  const kept = kind === undefined ? words.keptOn : words.kept(durationText(kind.keeps(settings), language));
  const lists = rows.map((row) => `<dl>${fields(words, language, row)}</dl>`);
  return `<section>
<h2>${escaped(title)}</h2>
<p>${escaped([why, kept, `${words.rows(rows.length)}.`].filter((text) => text !== '').join(' '))}</p>
${lists.join('\n')}
</section>`;
}

function fields(words: PageWords, language: PageLanguage, row: Row): string {
  return Object.entries(row)
    .filter(([, value]) => value !== null)
    .map(([column, value]) => {
      const word = words.columns[column];
      const name = word === undefined ? `<code>${escaped(column)}</code>` : escaped(word);
      return `<div><dt>${name}</dt><dd>${valueText(words, language, value)}</dd></div>`;
    })
    .join('');
}

/** As PostgreSQL writes a timestamp with zone as JSON. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function valueText(words: PageWords, language: PageLanguage, value: unknown): string {
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'string') return escaped(TIME.test(value) ? timeText(value, language) : value);
  if (typeof value === 'object') return `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
  return escaped(String(value));
}

function timeText(iso: string, language: PageLanguage): string {
  return new Date(iso).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' });
}

const HOUR_MS = 3_600_000;

/** @param duration as in the configuration: `90d` */
function durationText(duration: string, language: PageLanguage): string {
  const hours = durationMs(duration) / HOUR_MS;
  const [count, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

const STYLE = `
body{max-width:50rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;color:#1a1a1a;background:#fff}
h2{margin:2rem 0 .5rem;font-size:1.25rem}
dl{margin:.75rem 0;padding:.75rem;border:1px solid #d0d0d0;border-radius:.5rem;break-inside:avoid}
dl div{display:grid;grid-template-columns:minmax(8rem,14rem) 1fr;gap:1rem}
dt{color:#555}
dd{margin:0;overflow-wrap:anywhere}
pre{margin:0;white-space:pre-wrap}
code{font-size:.875em}
@media(max-width:30rem){dl div{grid-template-columns:1fr;gap:0}}
`;
