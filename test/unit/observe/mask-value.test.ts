// What may be seen of a value that was refused.
import { expect, it } from 'vitest';
import { maskValue } from '../../../src/observe/masking.ts';

it.each([
  ['contact.number', '+55 11 98765-4321', '+55 1• •••••-••21'],
  ['contact.name', 'Maria Souza', 'M… S…'],
  ['contact.document', '123.456.789-09', '•••09'],
  ['contact.email', 'bia at mail', '•••'],
  ['card.stage', 'Fechado', 'Fechado'],
  ['card.source', 'site', 'site'],
  ['tags.0', 'vip', 'vip'],
  ['extraInfo.cpf', '12345678909', '•••'],
  ['row', 'Ana;5511987654321', '•••'],
  // A row whose cells slid puts anything into any column.
  ['card.stage', '5511987654321', '•••'],
  ['tags.3', '11 9 - 8765 - 4321', '•••'],
  ['tags.3', '٠١١ ٩٨٧٦٥-٤٣٢١', '•••'],
  ['tags.3', 'ana@mail.example', '•••'],
])('%s %j is shown as %j', (field, value, shown) => {
  expect(maskValue(field, value)).toBe(shown);
});
