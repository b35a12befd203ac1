// Reads ids and links of the chat network, and links to dial. Their numbers are international, so they get a +.
import { GROUP_ID, INNER_ID, LINK, type PhoneRefusal } from './result.ts';

// `+55 11 987654321@c.us` does not match: its last digits alone would be another number.
const ID = /(?<![\w@]|\d[\s().-]*)\+?(\d{5,})(?:[._:]\d+)*@(?:c\.us|s\.whatsapp\.net)\b/gi;
const SHORT_LINK = /(?:https?:\/\/)?(?:www\.)?wa\.me\/(?:\+|%2b)?(\d+)(?:[/?#]\S*)?(?!\S)/gi;
const SEND_LINK =
  /(?:https?:\/\/(?:api|web|www)\.whatsapp\.com|whatsapp:\/|(?<![\w.])(?:api|web)\.whatsapp\.com)\/send\/?\?(\S*)/gi;
const DIAL_LINK = /(?<!\w)(?:tel|callto|sms|smsto|whatsapp):(?:\/\/)?/gi;
const CONTEXT = /^(\S+);phone-context=(\+\d{1,3})\b/i;

/** Returns the text with every such form written as a number with +. Other text stays unchanged. */
export function withNetworkForms(text: string): string | PhoneRefusal {
  if (!/[@:/]/.test(text)) return text;
  if (/@(?:g\.us|broadcast|newsletter)\b/i.test(text)) return GROUP_ID;
  if (/@lid\b/i.test(text)) return INNER_ID;
  const found = text
    .replace(ID, '+$1')
    .replace(SHORT_LINK, '+$1')
    .replace(SEND_LINK, (_, query: string) => phoneOf(query));
  if (/(?:\/\/|wa\.me|whatsapp\.com)/i.test(found.replace(DIAL_LINK, ''))) return LINK;
  return found
    .replace(/(?<!\w)whatsapp:(?=\d)/gi, '+')
    .replace(DIAL_LINK, '')
    .replace(/\?(?:body|text)=.*$/is, '')
    .replace(CONTEXT, '$2$1')
    .replace(/;ext=(\d+)/gi, ' ext $1')
    .replace(/;(?:isub|phone-context)=[^;\s]*/gi, '');
}

/** Empty if the link names no number; then the cell has none either. */
function phoneOf(query: string): string {
  const phone = new URLSearchParams(query).get('phone') ?? '';
  return `+${phone.replace(/\D/g, '')}`;
}
