// The shape of sluice.yaml. One schema validates the file, types the code and exports JSON Schema.
import { z } from 'zod';

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'use lower-case letters, digits, "-" and "_" (at most 63)')
  .meta({ description: 'Name used to refer to this entry' });

const described = <T extends z.ZodType>(schema: T, description: string) => schema.meta({ description });

export const SecretRef = z
  .string()
  .regex(
    /^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/,
    'write env:NAME or file:path; a secret itself never stands in this file',
  )
  .meta({ description: 'Reference to a secret: env:NAME or file:path (relative to this file)' });

/** The client sends none of the other parts, and a secret in them would show wherever the address does. */
const isPlain = ({ username, password, search, hash }: URL) => !`${username}${password}${search}${hash}`;

export const AccountConfig = z.strictObject({
  baseUrl: z
    .url({ protocol: /^https?$/ })
    // Zod runs this even on what is no address at all, which has its own message.
    .refine((text) => !URL.canParse(text) || isPlain(new URL(text)), {
      message: 'holds credentials, a query or a fragment; write https://host/wapi alone',
    })
    .meta({ description: 'Address of the instance, for example https://acme.example.com/wapi' }),
  tokens: z.array(SecretRef).min(1).meta({ description: 'Access tokens of the account' }),
  callsPerMinute: z.int().positive().default(120).meta({
    description: 'Calls a minute that one token allows, until the rate headers of the API say otherwise',
  }),
  assumptions: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({ description: 'Overrides of what Sluice assumes where the API description is silent' }),
});
export type AccountConfig = z.infer<typeof AccountConfig>;

const sourceType = <T extends string>(type: T) => z.literal(type).meta({ description: 'Kind of source' });

const file = {
  path: z.string().min(1).meta({ description: 'File to read, relative to this file' }),
  encoding: z.enum(['auto', 'utf-8', 'latin1']).default('auto').meta({
    description:
      'latin1 is read as windows-1252; auto: the whole file is looked at; UTF-8 when its bytes are (but for broken rows), else latin1',
  }),
};

export const CsvSource = z.strictObject({
  type: sourceType('csv'),
  ...file,
  delimiter: z
    .enum(['auto', ',', ';', '\t', '|'])
    .default('auto')
    .meta({ description: 'What stands between two fields; auto: found out from the first lines' }),
});
export type CsvSource = z.infer<typeof CsvSource>;

export const JsonlSource = z.strictObject({ type: sourceType('jsonl'), ...file });
export type JsonlSource = z.infer<typeof JsonlSource>;

export const SourceConfig = z.discriminatedUnion('type', [CsvSource, JsonlSource]);
export type SourceConfig = z.infer<typeof SourceConfig>;

export const KafkaSink = z.strictObject({
  type: z.literal('kafka').meta({ description: 'Kind of sink' }),
  brokers: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z0-9._-]+:\d{1,5}$/, 'write host:port, for example kafka-1.example.com:9092')
        .meta({ description: 'host:port' }),
    )
    .min(1)
    .meta({ description: 'Brokers to ask for the cluster; one that answers is enough' }),
  topic: z
    .string()
    .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/, 'use letters, digits, ".", "_" and "-" (at most 249)')
    .meta({ description: 'Topic that gets the events; it must exist, Sluice never creates one' }),
  tls: z.boolean().default(false).meta({
    description:
      'Encrypt the connection and check the certificate of the brokers (NODE_EXTRA_CA_CERTS names a private authority)',
  }),
  sasl: z
    .strictObject({
      mechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).meta({
        description: 'How the password is proved; plain sends it as it is, so use it with tls only',
      }),
      username: z.string().min(1).meta({ description: 'User name at the brokers' }),
      password: described(SecretRef, 'Reference to the password: env:NAME or file:path'),
    })
    .optional()
    .meta({ description: 'Log in at the brokers; without it nobody does' }),
});
export type KafkaSink = z.infer<typeof KafkaSink>;

export const SinkConfig = z.discriminatedUnion('type', [KafkaSink]);
export type SinkConfig = z.infer<typeof SinkConfig>;

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** The long form of an expression: exactly one of path, template, jsonata, const, first. */
export const ExpressionObject = z.strictObject({
  path: z.string().min(1).optional().meta({ description: 'Column name or dot-path' }),
  template: z.string().min(1).optional().meta({ description: 'Text with {{column}} placeholders' }),
  jsonata: z.string().min(1).optional().meta({ description: 'JSONata expression over the row' }),
  const: scalar.optional().meta({ description: 'A fixed value' }),
  first: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .meta({ description: 'Columns or dot-paths; the first that is not empty' }),
  map: z
    .record(z.string(), scalar)
    .optional()
    .meta({ description: 'Table from found value to wanted value (case is ignored)' }),
  default: scalar.optional().meta({ description: 'Value when nothing is found, or `map` has no entry' }),
});
export type ExpressionObject = z.infer<typeof ExpressionObject>;

/**
 * An expression. A string is a column name or dot-path; with `{{…}}` it is a template; with a leading
 * `=` it is JSONata. A list of strings takes the first that is not empty.
 */
export const Expression = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1), ExpressionObject])
  .meta({
    description:
      'Column name or dot-path; "{{column}} text" is a template; "=…" is JSONata; a list takes the first that is not empty',
  });
export type Expression = z.infer<typeof Expression>;

export const MappingConfig = z.strictObject({
  defaultCountry: z
    .string()
    .regex(/^[A-Z]{2}$/, 'two capital letters, for example BR')
    .optional()
    .meta({ description: 'ISO 3166 country of numbers written without a country code' }),
  contact: z
    .strictObject({
      number: described(Expression, 'Yields the phone number, the identity of the person'),
      name: described(Expression, 'Yields the name').optional(),
      email: described(Expression, 'Yields the e-mail address').optional(),
      document: described(Expression, 'Yields the document (CPF, CNPJ, …)').optional(),
      disableBot: described(
        Expression,
        'Yields yes or no: whether the chatbot leaves this person alone',
      ).optional(),
    })
    .meta({ description: 'Who the row is about' }),
  tags: z
    .array(
      z.union([
        z.string().min(1),
        ExpressionObject.extend({
          split: z.string().min(1).optional().meta({ description: 'Separator of several tags in one value' }),
        }),
      ]),
    )
    .default([])
    .meta({ description: 'Each entry yields one tag name, or several; write {const: vip} for a fixed tag' }),
  extraInfo: z
    .record(z.string().min(1), Expression)
    .default({})
    .meta({ description: 'Extra fields of the contact: name → expression' }),
  card: z
    .strictObject({
      pipeline: z
        .union([z.int().positive(), z.string().min(1)])
        .meta({ description: 'Pipeline name or id (fixed)' }),
      when: Expression.optional().meta({
        description: 'No card unless this yields something other than empty, false, no or 0',
      }),
      stage: Expression.optional().meta({ description: 'Yields a stage name or id' }),
      source: z
        .union([z.int().positive(), ExpressionObject])
        .optional()
        .meta({ description: 'Id of the origin (fixed), or an expression that yields it' }),
      title: described(Expression, 'Yields the title; without it the service makes one').optional(),
      expectedCloseDate: described(Expression, 'Yields the day on which the deal should close').optional(),
      customFields: z
        .record(z.string().min(1), Expression)
        .default({})
        .meta({ description: 'Custom fields of the pipeline: technical name → expression' }),
    })
    .optional()
    .meta({ description: 'The card that the person gets: at most one per pipeline' }),
});
export type MappingConfig = z.infer<typeof MappingConfig>;

export const SyncConfig = z.strictObject({
  account: described(name, 'Which of `accounts` receives the records'),
  source: described(name, 'Which of `sources` is read'),
  mapping: described(name, 'Which of `mappings` turns rows into records'),
  tags: z
    .enum(['merge', 'replace'])
    .default('merge')
    .meta({ description: 'merge keeps tags that people set; replace makes the list exactly the mapped one' }),
  extraInfo: z.enum(['merge', 'merge-fresh', 'replace']).default('merge').meta({
    description:
      'merge: fields of others are kept, known from the ledger (one read when it does not know); merge-fresh: one read each time; replace: exactly the mapped fields',
  }),
  concurrency: z.int().min(1).max(200).default(16).meta({ description: 'Records in flight at once' }),
  validateNumber: z
    .boolean()
    .default(false)
    .meta({ description: 'Ask the service to check each number on the chat network' }),
  announce: described(name, 'Which of `sinks` is told, by one event, that a run has ended').optional(),
});
export type SyncConfig = z.infer<typeof SyncConfig>;

export const Config = z.strictObject({
  version: z.literal(1).meta({ description: 'Version of this format' }),
  accounts: z
    .record(name, AccountConfig)
    .meta({ description: 'Instances of the service that Sluice talks to, by name' }),
  sources: z.record(name, SourceConfig).default({}).meta({ description: 'Where records come from, by name' }),
  sinks: z
    .record(name, SinkConfig)
    .default({})
    .meta({ description: 'Where events about runs go, by name; each sync says with `announce` whether to' }),
  mappings: z
    .record(
      name,
      z.union([
        MappingConfig,
        z.strictObject({
          preset: z
            .string()
            .min(1)
            .meta({ description: 'YAML file with one mapping, relative to this file' }),
        }),
      ]),
    )
    .default({})
    .meta({
      description: 'A mapping, or {preset: file} to take it from a YAML file (relative to this file)',
    }),
  syncs: z
    .record(name, SyncConfig)
    .default({})
    .meta({ description: 'What is synced where: one source into one account, by name' }),
});
export type Config = z.infer<typeof Config>;
