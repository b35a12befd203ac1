// Brazilian documents by their check digits.

/** A CPF (11 digits) or CNPJ (14 characters) whose check digits are right, with or without punctuation. */
export function isDocument(value: string): boolean {
  const text = value.replace(/[^0-9A-Za-z]/g, '').toUpperCase();
  if (/^(.)\1+$/.test(text)) return false;
  if (/^\d{11}$/.test(text)) return checks(text, 9, 11) && checks(text, 10, 12);
  return /^[0-9A-Z]{12}\d{2}$/.test(text) && checks(text, 12, 9) && checks(text, 13, 9);
}

/**
 * Whether the digit at `at` fits those before it: weights count from 2 upward from the right, and begin again at 2
 * after `last`.
 */
function checks(text: string, at: number, last: number): boolean {
  let sum = 0;
  let weight = 2;
  for (let index = at - 1; index >= 0; index -= 1) {
    sum += (text.charCodeAt(index) - 48) * weight;
    weight = weight === last ? 2 : weight + 1;
  }
  const rest = sum % 11;
  return Number(text[at]) === (rest < 2 ? 0 : 11 - rest);
}
