// The shape of sluice.yaml. One schema validates the file, types the code and exports JSON Schema.
import { z } from 'zod';
import { SinkConfig } from '../../connectors/sinks/config.ts';
import { SourceConfig } from '../../connectors/sources/config.ts';
import { insecure, isPlainUrl, name, SecretRef } from '../../core/config/base.ts';
import { TimeZone } from '../../core/config/schedule.ts';
import { CampaignConfig, OptOutConfig } from '../../jobs/campaigns/config.ts';
import { PollerConfig } from '../../jobs/conversations/config.ts';
import { RouteConfig } from '../../jobs/events/config.ts';
import { IngressConfig } from '../../jobs/events/ingress/config.ts';
import { AnnounceRule } from '../../jobs/outbox/contract/announce.ts';
import { SyncConfig } from '../../jobs/sync/config.ts';
import { MappingConfig } from '../../mapping/config.ts';
import { NoticeChannel } from '../../observe/notices/config.ts';
import { AdminConfig } from './admin.ts';
import { LedgerConfig } from './ledger.ts';
import { OperatorConfig } from './operator.ts';
import { ReloadConfig } from './reload.ts';
import { RetentionConfig } from './retention.ts';
import { TemporalConfig } from './temporal.ts';

const AccountConfig = z.strictObject({
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .refine(isPlainUrl, 'holds credentials, a query or a fragment; write https://host/wapi alone')
    .meta({ description: 'Base URL of the instance, for example https://acme.example.com/wapi.' }),
  insecure: insecure('unencrypted http:// in baseUrl, to other machines'),
  tokens: z.array(SecretRef).min(1).meta({
    description:
      'References to the access tokens of the account. Each call uses the token that is free first and has the scope.',
  }),
  callsPerMinute: z.int().positive().default(120).meta({
    description:
      'Calls per minute that one token allows, until the rate headers of the service say otherwise. Default: 120.',
  }),
  reserve: z
    .strictObject({
      reply: z
        .int()
        .nonnegative()
        .default(0)
        .meta({ description: 'Calls per minute for replies. Default: 0.' }),
      lead: z.int().nonnegative().default(0).meta({ description: 'Calls per minute for leads. Default: 0.' }),
    })
    .default({ reply: 0, lead: 0 })
    .meta({
      description:
        'Calls per minute of each token that are kept free for urgent work. Other lanes get what it does not use. Default: 0 for replies and leads.',
    }),
  floor: z.int().nonnegative().default(6).meta({
    description:
      'Calls per minute of each token that polling, campaigns and syncs get even when replies and leads could use all of them. Default: 6.',
  }),
  announce: z.array(AnnounceRule).default([]).meta({
    description:
      'Sinks that get what happens in the account as events: conversations and messages, and also campaigns, opt-outs and dead letters if you name their types. Default: [].',
  }),
  timeZone: TimeZone.optional().meta({
    description:
      "IANA time zone of the account, for example America/Sao_Paulo. Schedules use it, and campaigns if a contact's own zone is unknown. Required with campaigns. Default: none.",
  }),
  optOut: OptOutConfig.prefault({}).meta({
    description: 'Who gets no campaign of this account. Default: nobody.',
  }),
  assumptions: z.record(z.string(), z.unknown()).default({}).meta({
    description:
      'Overrides of what Sluice assumes where the API description is silent: key to a name, a path such as data.items, or {path, values, unit}. docs/reference/client.md lists the keys. Default: {}.',
  }),
});
type AccountConfig = z.infer<typeof AccountConfig>;

export const Config = z.strictObject({
  version: z
    .union([z.literal(1), z.literal('1')])
    .transform(() => 1 as const)
    .meta({ description: 'Version of this format. Always 1.' }),
  include: z.array(z.string().min(1)).default([]).meta({
    description:
      'Files whose entries are added to this file, for example [accounts/*.yaml]. Each can have accounts, sources, sinks, mappings, syncs, routes, pollers and campaigns. Paths in it start at the folder of this file, too. `*` stands for any text in the name of a file. A name may occur once in all files. Default: [].',
  }),
  reload: ReloadConfig.prefault({}).meta({
    description: 'When a running process loads a changed configuration. Default: within seconds.',
  }),
  accounts: z.record(name, AccountConfig).meta({ description: 'Instances of the service, by name.' }),
  sources: z
    .record(name, SourceConfig)
    .default({})
    .meta({ description: 'Where records come from, by name. Default: {}.' }),
  sinks: z.record(name, SinkConfig).default({}).meta({
    description:
      'Where events go, by name. `announce` of syncs and accounts selects what each sink gets. Default: {}.',
  }),
  mappings: z
    .record(
      name,
      z.union([
        MappingConfig,
        z.strictObject({
          preset: z
            .string()
            .min(1)
            .meta({ description: 'YAML file with one mapping, relative to this file.' }),
        }),
      ]),
    )
    .default({})
    .meta({
      description:
        'How rows become records, by name: a mapping, or {preset: file} to read it from a YAML file. Default: {}.',
    }),
  syncs: z
    .record(name, SyncConfig)
    .default({})
    .meta({ description: 'What is synced, by name: one source into one account. Default: {}.' }),
  ingress: IngressConfig.prefault({}).meta({
    description: 'How events come in. Default: HTTP on 127.0.0.1:4020, no Kafka.',
  }),
  routes: z
    .record(name, RouteConfig)
    .default({})
    .meta({ description: 'What events do, by name: where they come from, and one action. Default: {}.' }),
  pollers: z
    .record(name, PollerConfig)
    .default({})
    .meta({ description: 'Pollers, by name: each reads the conversations of an account. Default: {}.' }),
  campaigns: z.record(name, CampaignConfig).default({}).meta({
    description:
      'Reactivation campaigns, by name. A campaign triggers a flow for every member of an audience, in throttled waves. Default: {}.',
  }),
  notices: z.record(name, NoticeChannel).default({}).meta({
    description:
      'Channels that are notified of what needs a person, by name: when it begins, and when it has ended. See docs/how-to/notices.md. Default: {}.',
  }),
  retention: RetentionConfig.prefault({}).meta({
    description:
      'How long the ledger keeps each kind of data. One job deletes what is older, in small steps. `ingress.remember` decides about events. Default: as each key says.',
  }),
  ledger: LedgerConfig.prefault({}).meta({
    description: 'How the ledger stores contents. Default: not encrypted.',
  }),
  temporal: TemporalConfig.prefault({}).meta({
    description: 'What Temporal stores. Default: payloads are not encrypted.',
  }),
  operator: OperatorConfig.prefault({}).meta({
    description:
      'How operators reach Sluice: the console, remote commands and logins. Default: 127.0.0.1:8088.',
  }),
  admin: AdminConfig.prefault({}).meta({
    description:
      'Where each process serves its metrics and its health: /metrics, /healthz and /readyz. Default: 127.0.0.1:9464.',
  }),
});
export type Config = z.infer<typeof Config>;
