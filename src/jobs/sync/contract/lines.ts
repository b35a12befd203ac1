// Where a spreadsheet shows rows of a file: empty rows have no number, but a line.
import { z } from 'zod';
import { Count } from '../../../core/endpoint.ts';

/** Row of a spreadsheet by row number. Empty: the source is no CSV file, or the file has changed since it was read. */
export const Lines = z.record(z.string(), Count);
export type Lines = z.infer<typeof Lines>;
