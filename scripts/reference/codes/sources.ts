// Codes of reading and mapping: rows, sources and the warnings of a run.
import type { CodeArea } from './area.ts';

export const SOURCES_CODES: readonly CodeArea[] = [
  {
    title: 'Rows of a source',
    about:
      'Problems of single rows, in `sync plan`, `sync rows` and the 422 answers of the ingress. The other rows go on.',
    codes: [
      ['required', 'A required value is empty.', 'Fill in the column, or name another one in the mapping.'],
      [
        'unknown_country',
        'The value of `contact.country` is no country, and the number does not name its own.',
        'Write an ISO 3166 code or a name, or the number with + and country code.',
      ],
      ['invalid_phone', 'The value is not a phone number.', 'Correct the number in the source.'],
      [
        'ambiguous_phone',
        'The number is valid in two ways, with and without a country code.',
        'Write `+` and the country code, or set `numberFormat`.',
      ],
      ['placeholder_phone', 'The number is a placeholder, for example 99999-9999.', 'Enter the real number.'],
      [
        'excel_number',
        'A spreadsheet turned the number into a float, and digits may be lost.',
        'Format the column as text and export again.',
      ],
      [
        'invalid_email',
        'The value is not an e-mail address. Sluice leaves it out and keeps the row.',
        'Correct it in the source.',
      ],
      ['invalid_date', 'The value is not a date.', 'Write `2026-11-20`, or set `dateOrder`.'],
      ['ambiguous_date', 'Day and month can be read in two ways.', 'Set `dateOrder` in the mapping.'],
      ['invalid_boolean', 'The value is neither yes nor no.', 'Map the values with `map`.'],
      [
        'invalid_id',
        'The value is not an id, or a name without the entry that it needs.',
        'Send the id, or add a `map` from names to ids.',
      ],
      [
        'invalid_type',
        'The value has the wrong type, for example a list instead of one text.',
        'Correct the expression.',
      ],
      [
        'invalid_url',
        'The value is not a usable URL of a file.',
        'Send an `https://` URL without user and password.',
      ],
      ['invalid_upload', 'The value is not an id of an upload.', 'Send the id that the upload returned.'],
      ['host_not_allowed', 'The file is on a host that `media.hosts` does not list.', 'Add the host.'],
      ['not_in_map', '`map` has no entry for the value.', 'Add the entry, or a `default`.'],
      ['too_many', 'The value yields more entries than allowed.', 'Send fewer.'],
      [
        'expression_failed',
        'A JSONata expression failed.',
        'Correct the expression; the message says where.',
      ],
      ['expression_timeout', 'A JSONata expression ran longer than 2 s.', 'Simplify the expression.'],
      ['result_too_large', 'The result of an expression is too large.', 'Let the expression yield less.'],
      [
        'malformed_row',
        'The row cannot be read: broken quotes, too many cells, or no JSON object.',
        'Correct the row.',
      ],
      [
        'bad_encoding',
        'The row has another encoding than the rest of the file.',
        'Save the file in one encoding.',
      ],
      ['null_key', 'The key column of the row is null.', 'Fill it in, or choose another `key`.'],
      [
        'conflict',
        'Rows of one number differ in document, name or e-mail address.',
        'Correct the source, or set `onConflict`.',
      ],
      ['bad_order', 'The value at `order` is neither a number nor a time.', 'Correct the event.'],
      [
        'pattern_stuck',
        'The event takes too long to check: its texts are too long for a `pattern` with large numbers in `{…}`, or the schema checks one value in very many ways by `$ref`.',
        'Simplify the schema, or shorten the texts.',
      ],
      ['more', 'More fields than shown do not match the schema.', 'Correct the shown ones first.'],
    ],
  },
  {
    title: 'Sources',
    about: 'A source that cannot be read as a whole ends the run with one of these codes.',
    codes: [
      [
        'SOURCE_UNREACHABLE',
        'No response, a broken connection, a timeout or 5xx. Sluice retries.',
        'Check host and network.',
      ],
      ['SOURCE_BUSY', '429, or the rate limit of the source. Sluice retries after the wait.', 'Wait.'],
      [
        'SOURCE_BAD_ANSWER',
        'HTML, broken JSON, or no list where one should be.',
        'Check `url`, `items` and `pagination`.',
      ],
      ['SOURCE_DENIED', 'The source refuses login, permission or certificate.', 'Check the credentials.'],
      ['SOURCE_SECRET', 'A secret cannot be resolved.', 'Set the variable or create the file.'],
      ['SOURCE_NOT_FOUND', 'The file, host, database, table or URL does not exist.', 'Correct the name.'],
      ['SOURCE_UNREADABLE', 'The source exists, but cannot be read.', 'Check its permissions.'],
      [
        'SOURCE_BAD_CONFIG',
        'The other side refuses what the configuration asks for.',
        'Correct the source in `sluice.yaml`.',
      ],
      ['SOURCE_BAD_KEY', 'The `key` of a table is not unique.', 'Choose a unique key.'],
      ['SOURCE_FORMAT', 'The file is not a table of text.', 'Export CSV or JSONL.'],
      ['SOURCE_ENCODING', 'The encoding of the file cannot be read.', 'Set `encoding`.'],
      ['SOURCE_NO_HEADER', 'The file has no header.', 'Add the column names as the first line.'],
      [
        'SOURCE_NO_COLUMN',
        'The file has no column for the phone number.',
        'Correct `contact.number` in the mapping.',
      ],
      ['SOURCE_CHANGED', 'The file changed while it was read.', 'Run the sync again.'],
      ['SOURCE_TOO_LARGE', 'A response is larger than 32 MB.', 'Ask for smaller pages.'],
      ['SOURCE_ENDLESS', 'The list does not end within `maxPages`.', 'Check `pagination`.'],
    ],
  },
  {
    title: 'Warnings of a run',
    about: 'The run goes on. The report and the plan list them.',
    codes: [
      ['ENCODING', 'The detected encoding of the file.', 'Set `encoding` if it is wrong.'],
      [
        'ENCODING_UNSURE',
        'The detection of the encoding is uncertain.',
        'Check names with accents, then set `encoding`.',
      ],
      [
        'MIXED_ENCODING',
        'Some rows have another encoding. They are rejected.',
        'Save the file in one encoding.',
      ],
      ['TITLE', 'Lines above the header were read as titles.', 'None, if they are titles.'],
      ['FOOTER', 'Lines below the table were read as footers.', 'None, if they are footers.'],
      ['HEADER', 'The first line looks like a row.', 'Add the column names above it.'],
      [
        'NOT_READ',
        'The rest of the file was not read, because a quote is not closed.',
        'Correct the quote in the named row.',
      ],
      [
        'DATE_ORDER',
        'The order of day and month is unknown or contradictory. The dates are left out.',
        'Set `dateOrder`.',
      ],
      ['NO_SUCH_COLUMN', 'The mapping reads a column that the source lacks.', 'Correct the mapping.'],
      [
        'WATERMARK_KEPT',
        'Rows of one number contradict each other, so the next run reads from the same place.',
        'Correct the source, or set `onConflict`.',
      ],
      ['UNKNOWN_TAG', 'The account lacks the tag.', 'Create the tag, or correct the mapping.'],
      ['UNKNOWN_PIPELINE', 'The account lacks the pipeline.', 'Create it, or correct the name.'],
      ['UNKNOWN_STAGE', 'The pipeline lacks the stage.', 'Create it, or correct the name.'],
      [
        'IGNORED_CUSTOM_FIELD',
        'The service ignored a custom field.',
        'Check that the pipeline has the field, and its type.',
      ],
      ['MIRROR_EMPTY', 'The source has no usable row, so nobody is treated as gone.', 'Check the export.'],
      [
        'MIRROR_UNREADABLE',
        'Rows could not be read and may belong to missing people, so nobody is treated as gone.',
        'Correct these rows.',
      ],
      [
        'MIRROR_TOO_MANY',
        'More than half of all people are missing, so nobody is treated as gone.',
        'Check the export. Use `upsert` if it is right.',
      ],
    ],
  },
];
