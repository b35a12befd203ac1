// Removes what surrounds a number: quotes, labels, extensions, carrier codes.

// Known words only. `não é dela 11 …`, `Fax 11 …` and `F: 11 …` are not numbers to write to, and a number to leave a
// message at (`recado`) belongs to somebody else.
const WORD = [
  'tel(?:e(?:fone?s?|fono|phone|f[oó]n)?)?s?',
  'fone|phone|fon|t[eé]l(?:[eé]phone)?|tel[eé]fono',
  'cel(?:ular|l|ulare|lulare)?|mobile?|mob|m[oó]vil|m[oó]vel|handy|portable',
  'whats(?:\\s?app)?|wpp|wapp|wa|zap(?:zap)?|signal',
  'home|work|office|main|other|primary|preferred|personal|private|business|iphone',
  'casa|trabalho|trabajo|comercial|residencial|pessoal|principal|outro|otro|novo|nuevo',
  'privat|gesch(?:ä|ae)ftlich|dienstlich|arbeit|neu|perso|pro|bureau|domicile|lavoro|ufficio',
  'vivo|claro|tim|oi',
  'contat[oc]|contacto|contact|n[uú]mero|number|n[oº°]|num|nr',
  '[pmtchw]',
].join('|');
const BEFORE = new RegExp(`^(?:(?:${WORD})(?![\\p{L}\\d])[\\s.:/-]*)+(?:\\d{1,2}\\s*:\\s*)?`, 'iu');
const LABEL = new RegExp(`^(?:\\(?(?:${WORD})(?![\\p{L}\\d])[\\s.:/)-]*)+$`, 'iu');
const AFTER = new RegExp(`(?:[\\s.:,/-]+(?:${WORD})\\.?)+$`, 'iu');
const EXTENSION =
  /[\s,;-]*(?:\b(?:ramal|ram|extens[aã]o|extensi[oó]n|extension|ext|extn|anexo|r)\b\.?\s*[.:]?|(?<=[\s,;-]|^\+[\d\s().-]*)(?:x|#))\s*\d{1,6}\s*$/i;
// `0xx11`: the Brazilian way to write "dial zero, any carrier, then 11".
const ANY_CARRIER = /^(\(?)0?\s?\(?(?:xx|\*\*)\)?\s?(?=\(?\d)/i;

/** What spreadsheets and their exports put around text: `'+55…`, `"55…"`, `="55…"`. A quote alone at the end stays. */
export function unquoted(text: string): string {
  const [, , inner] = /^\s*=?(["'`])\s*(.*?)\s*\1\s*$/su.exec(text) ?? [];
  const bare = inner ?? text;
  return bare.replace(/^\s*=?\s*'+\s*(?=[+(\p{L}\d])|^\s*=(?=\+)/u, '');
}

/** A note in parentheses that says nothing about the number: `(WhatsApp)` qualifies, `(não é dela)` and `(**)` do not. */
const withoutNote = (note: string, inner: string): string => (LABEL.test(inner.trim()) ? '' : note);

/**
 * Returns one number without its surroundings. Empty if it has no digit. Signs at the edges stay, because they may
 * stand for digits; a period, comma or colon at the end does not.
 * @param country the default country: only Brazil has wildcards for carriers
 */
export function withoutLabels(piece: string, country: string | undefined): string {
  const bare = piece
    .trim()
    .replace(/\(([^\d()+]+)\)/g, withoutNote)
    .replace(/(?<=\d.*)\(\s*\)$/, '')
    .replace(EXTENSION, '')
    .replace(BEFORE, '')
    .replace(AFTER, '')
    .replace(/^\s+|\s*[.,:]?\s*$/g, '')
    .replace(/[[\]]/g, (bracket) => (bracket === '[' ? '(' : ')'));
  const dialed = country === 'BR' ? bare.replace(ANY_CARRIER, '$10') : bare;
  return dialed
    .replace(/^\(\s*\+([^()]*)\)\s*/, '+$1 ')
    .replace(/^\(([^()]*)\)$/, '$1')
    .replace(SLIP, '$1 ')
    .trim();
}

// A gap where no number can end.
const SLIP = /(\)|\+\d{1,3}) {2,}/g;
const SIGN = /[\s,;-]*[x#r]\s*[.:]?\s*(\d{1,6})\s*$|[.,:]\s*$/i;

/**
 * Returns the texts that a cell may be if a lone x or #, or a period at its end, stands for a digit: `+49 30 12x45` may
 * have no extension. Empty if it has no such sign.
 */
export function withDigitForSign(piece: string): string[] {
  const bare = piece
    .trim()
    .replace(/\(([^\d()+]+)\)/g, withoutNote)
    .replace(BEFORE, '')
    .replace(AFTER, '');
  if (!SIGN.test(bare)) return [];
  return [...'0123456789'].map((digit) => bare.replace(SIGN, (_, more = '') => `${digit}${more}`));
}
