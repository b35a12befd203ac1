// Reads ids and links of the chat network, and links to dial. Their numbers are international, so they get a +.
import { CONTEXT, GROUP_ID, INNER_ID, LETTERS, LINK, type PhoneRefusal } from './result.ts';

// `+55 11 987654321@c.us` does not match: its last digits alone would be another number.
// The number may have a device behind it, and an agent before the device.
const ID =
  /(?<=^\s*|[;,\n]\s*|\p{L}:?\s+)\+?(\d{5,})(?:(?:[._]\d{1,2})?:\d{1,3})?@(?:c\.us|s\.whatsapp\.net)\b/giu;
const SHORT_LINK = /(?:https?:\/\/)?(?:www\.)?wa\.me\/(?:\+|%2b)?(\d+)(?:\/|\/?\?[a-z]\S*)?(?!\S)/gi;
const SEND_LINK =
  /(?:https?:\/\/(?:api|web|www)\.whatsapp\.com|whatsapp:\/|(?<![\w.])(?:api|web)\.whatsapp\.com)\/send\/?\?(\S*)/gi;
const DIAL_LINK = /(?<!\w)(?:tel|callto|sms|smsto|whatsapp):(?:\/\/)?/gi;
const PARAMETERS = /([^\s;]+)((?:;[\w-]+=[^;\s]*)*;phone-context=[^;\s]*(?:;[\w-]+=[^;\s]*)*)/i;

/** Returns the text with every such form written as a number with +. Other text stays unchanged. */
export function withNetworkForms(text: string): string | PhoneRefusal {
  if (!/[@:/]/.test(text)) return text;
  if (/@(?:g\.us|broadcast|newsletter)\b/i.test(text)) return GROUP_ID;
  if (/@lid\b/i.test(text)) return INNER_ID;
  const identified = text.replace(ID, '+$1');
  // An id that is not whole, or has something before it.
  if (/@(?:c\.us|s\.whatsapp\.net)\b/i.test(identified)) return LETTERS;
  const found = identified
    .replace(SHORT_LINK, '+$1')
    .replace(SEND_LINK, (_, query: string) => phoneOf(query));
  if (/(?:\/\/|wa\.me|whatsapp\.com)/i.test(found.replace(DIAL_LINK, ''))) return LINK;
  const dialed = found
    .replace(/(?<!\w)whatsapp:(?=\d)/gi, '+')
    .replace(DIAL_LINK, '')
    .replace(/\?(?:body|text)=.*$/is, '');
  const global = withContext(dialed);
  return typeof global === 'string'
    ? global.replace(/;ext=(\d+)/gi, ' ext $1').replace(/;isub=[^;\s]*/gi, '')
    : global;
}

/**
 * Puts the context of a local number before it, as RFC 3966 (5.1.5) says. A context that is a domain does not say which
 * country the number belongs to: it may be an extension of a company.
 */
function withContext(text: string): string | PhoneRefusal {
  const [, number = '', parameters = ''] = PARAMETERS.exec(text) ?? [];
  if (parameters === '') return text;
  const [context = '', ...more] = parameters.match(/(?<=;phone-context=)[^;]*/gi) ?? [];
  if (more.length > 0 || !/^\+[\d().-]+$/.test(context) || !/^\(?\d[\d().-]*$/.test(number)) return CONTEXT;
  const others = parameters.replace(/;phone-context=[^;]*/gi, '');
  return text.replace(PARAMETERS, () => `+${context.replace(/\D/g, '')} ${number}${others}`);
}

/** Empty if the link names no number; then the cell has none either. */
function phoneOf(query: string): string {
  const phone = new URLSearchParams(query).get('phone') ?? '';
  return /^[\s+]?[\d\s().-]+$/.test(phone) ? `+${phone.replace(/\D/g, '')}` : '';
}
