import { expect, it } from 'vitest';
import { maskWritten } from '../../../src/observe/masking.ts';

it.each([
  ['51987654321', '519••••••21'],
  ['Cel (51) 98765-4321', '••• (51) 9••••-••21'],
  ['+55 11 99999-9999', '+55 1• •••••-••99'],
  ['5,51199E+12', '•,••••••+12'],
  ['98765-432', '•••••-•32'],
  ['4321', '••••'],
  ['٥٥١١٩٨٧٦٥٤٣٢', '٥٥١•••••••٣٢'],
  ['Maria', '•••••'],
])('%j is shown as %j', (text, shown) => {
  expect(maskWritten(text)).toBe(shown);
});
