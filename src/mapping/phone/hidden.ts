// Recognizes cells that lack digits on purpose: masked, cut off, or with a sign in place of a digit.

/** A sign, two dots or two dashes, or a lone x. */
const HIDES = /[^\p{L}\p{Nd}\s+().,;:/'"&|=@-]|\.\s?\.|-\s?-|(?<!\p{L})x+(?!\p{L})|\(\s*\)/iu;

/** Only to name the reason: a cell with a sign that has no meaning in phone numbers is refused in any case. */
export const hidesDigits = (text: string): boolean => HIDES.test(text) && /\d/.test(text);
