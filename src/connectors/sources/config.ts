// The part `sources` of sluice.yaml: where records come from.
import { z } from 'zod';
import { SecretRef } from '../../core/config/base.ts';
import { HttpSource } from './http/config.ts';
import { PostgresSource } from './postgres/config.ts';

const sourceType = <T extends string>(type: T, description: string) => z.literal(type).meta({ description });

/** Can this platform decode it? `replacement` stands for encodings that nobody may decode. */
function isEncoding(label: string): boolean {
  if (label === 'auto') return true;
  try {
    return new TextDecoder(label).encoding !== 'replacement';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const file = {
  path: z.string().min(1).meta({ description: 'File to read, relative to this file.' }),
  encoding: z
    .string()
    .refine(isEncoding, {
      message:
        'no encoding that Sluice can read; use a name such as utf-8, windows-1252, iso-8859-2, utf-16le, shift_jis, gb18030, big5, euc-kr or macintosh, or auto',
    })
    .default('auto')
    .meta({
      description:
        'Encoding of the file, by its WHATWG name, for example utf-8 or windows-1252. auto: detected from all bytes of the file, and reported. Default: auto.',
    }),
};

export const CsvSource = z.strictObject({
  type: sourceType('csv', 'Reads a CSV file with a header.'),
  ...file,
  delimiter: z.enum(['auto', ',', ';', '\t', '|']).default('auto').meta({
    description: 'Separator between two fields. auto: detected from the first lines. Default: auto.',
  }),
});
export type CsvSource = z.infer<typeof CsvSource>;

export const JsonlSource = z.strictObject({
  type: sourceType('jsonl', 'Reads a file with one JSON object per line.'),
  ...file,
});
export type JsonlSource = z.infer<typeof JsonlSource>;

export const SourceConfig = z.discriminatedUnion('type', [
  CsvSource,
  JsonlSource,
  PostgresSource,
  HttpSource,
]);
export type SourceConfig = z.infer<typeof SourceConfig>;

/** References to secrets that a source needs, for whoever checks that they can be resolved. */
export function secretRefs(source: SourceConfig): string[] {
  switch (source.type) {
    case 'csv':
    case 'jsonl':
      return [];
    case 'postgres':
      return [source.url];
    case 'http': {
      const { auth } = source;
      if (auth === undefined) return [];
      if ('bearer' in auth) return [auth.bearer];
      if ('header' in auth) return [auth.header.value];
      if ('query' in auth) return [auth.query.value];
      const { username, password } = auth.basic;
      return [username, password ?? ''].filter((text) => SecretRef.safeParse(text).success);
    }
  }
}
