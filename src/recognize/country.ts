// Guesses the country of numbers that do not name it.

import type { RecognizedFile } from '../jobs/sync/contract/first-sync.ts';
import { plainName } from '../mapping/column-names.ts';
import { isCountry, type PhoneRules, parsePhone } from '../mapping/phone/index.ts';

type CountryGuess = RecognizedFile['country'];

/** Countries to try, by the language of the column names; the first wins a tie. */
const COUNTRIES: Readonly<Record<string, readonly string[]>> = {
  pt: ['BR', 'PT', 'AO', 'MZ'],
  es: ['MX', 'ES', 'AR', 'CO', 'CL', 'PE'],
  en: ['US', 'GB', 'AU', 'IN', 'IE', 'ZA'],
  other: ['DE', 'FR', 'IT'],
};
const CODES: Readonly<Record<string, string>> = {
  BR: '55',
  PT: '351',
  AO: '244',
  MZ: '258',
  MX: '52',
  ES: '34',
  AR: '54',
  CO: '57',
  CL: '56',
  PE: '51',
  US: '1',
  GB: '44',
  AU: '61',
  IN: '91',
  IE: '353',
  ZA: '27',
  DE: '49',
  FR: '33',
  IT: '39',
};
const PORTUGUESE =
  /\b(?:nome|telefone|celular|sobrenome|etapa|funil|empresa|cidade|responsavel|origem|cpf|cnpj|data d[eo])\b/;
const SPANISH = /\b(?:nombre|telefono|correo|apellidos?|movil|etapa|empresa|ciudad|fecha)\b/;

const JUDGED = 200;
/** With fewer numbers without a country code, beside numbers of other countries, none is guessed. */
const LEAST_FOREIGN = 5;

export function guessCountry(header: readonly string[], numbers: readonly string[]): CountryGuess {
  const judged = numbers.slice(0, JUDGED);
  const bare = judged.filter((value) => !readable(value, {}));
  // Numbers that can be read without a country have named theirs.
  if (judged.length === 0 || bare.length === 0) return { country: null, format: 'auto', confidence: 1 };
  const named = judged.flatMap((value) => {
    const read = parsePhone(value, {});
    return read.ok ? [read.number] : [];
  });
  const score = (country: string, format: 'national' | 'auto') => {
    const rules = rulesOf({ country, format });
    return bare.filter((value) => readable(value, rules)).length / bare.length;
  };
  const scored = orderOf(header).map((country) => {
    const beside = named.filter((number) => number.startsWith(CODES[country] ?? '-')).length;
    const other = named.length === 0 ? 0 : (beside / named.length) * 0.2;
    return { country, beside, share: score(country, 'auto'), score: score(country, 'national') + other };
  });
  // The sort is stable: the language of the header decides between equal countries.
  const [best, next] = scored.toSorted((a, b) => b.score - a.score);
  if (best === undefined || best.score < 0.3) return { country: null, format: 'auto', confidence: 0 };
  const national = score(best.country, 'national');
  const lead = best.score - (next?.score ?? 0);
  // A few odd numbers among those of another country are more likely damaged than from abroad: with a country, they would be
  // strangers' numbers.
  const isForeign = named.length > bare.length && best.beside < named.length / 2;
  if (isForeign && bare.length < LEAST_FOREIGN) return { country: null, format: 'auto', confidence: 0 };
  const isSure = lead > 0.1 && !isForeign;
  return {
    country: best.country,
    format: national > best.share ? 'national' : 'auto',
    confidence: Math.round(Math.min(1, national) * (isSure ? 1 : 0.7) * 100) / 100,
  };
}

/** How numbers are read under a guess. */
export function rulesOf({ country, format }: Pick<CountryGuess, 'country' | 'format'>): PhoneRules {
  return country !== null && isCountry(country) ? { country, format } : { format };
}

function readable(value: string, rules: PhoneRules): boolean {
  return parsePhone(value, rules).ok;
}

function orderOf(header: readonly string[]): readonly string[] {
  const text = header.map(plainName).join(' | ');
  const { pt = [], es = [], en = [], other = [] } = COUNTRIES;
  if (PORTUGUESE.test(text)) return [...pt, ...en, ...es, ...other];
  if (SPANISH.test(text)) return [...es, ...pt, ...en, ...other];
  return [...en, ...pt, ...es, ...other];
}
