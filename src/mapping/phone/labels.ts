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
  /[\s,;-]*(?:\b(?:ramal|ram|extens[aã]o|extensi[oó]n|extension|ext|extn|anexo|r)\b\.?|x|#)\s*[.:]?\s*\d{1,6}\s*$/i;
// `0xx11`: the Brazilian way to write "dial zero, any carrier, then 11".
const ANY_CARRIER = /(^|[\s(])0?\s?\(?(?:xx|\*\*)\)?\s?(?=\(?\d)/i;

/** Quotes that spreadsheets and their exports put around text: `'+55…`, `="55…"`. */
export function unquoted(text: string): string {
  return /^[^+\d(]|["'`]$/.test(text) ? text.replace(/^[\s'"`=]+(?=[+(\p{L}\d])|['"`\s]+$/gu, '') : text;
}

/** A note in parentheses that says nothing about the number: `(WhatsApp)` qualifies, `(não é dela)` does not. */
const withoutNote = (note: string, inner: string): string =>
  !/\p{L}/u.test(inner) || LABEL.test(inner.trim()) ? '' : note;

/** Returns one number without its surroundings. Empty if it has no digit. */
export function withoutLabels(piece: string): string {
  return piece
    .trim()
    .replace(/\(([^\d()+]*)\)/g, withoutNote)
    .replace(ANY_CARRIER, '$10')
    .replace(EXTENSION, '')
    .replace(BEFORE, '')
    .replace(AFTER, '')
    .replace(/^[\s.:,*-]+|[\s.:,*-]+$/g, '')
    .replace(/[[\]]/g, (bracket) => (bracket === '[' ? '(' : ')'))
    .replace(/^\(\s*\+/, '+');
}
