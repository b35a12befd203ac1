// The shape of sluice.yaml. One schema validates the file, types the code and exports JSON Schema.
import { z } from 'zod';
import { insecure, isPlainUrl, name, SecretRef } from './config-base.ts';
import { CampaignConfig, OptOutConfig } from './config-campaigns.ts';
import { IngressConfig } from './config-ingress.ts';
import { MappingConfig } from './config-mapping.ts';
import { PollerConfig } from './config-pollers.ts';
import { RouteConfig } from './config-routes.ts';
import { TimeZone } from './config-schedule.ts';
import { AnnounceRule, SinkConfig } from './config-sinks.ts';
import { SourceConfig } from './config-sources.ts';
import { SyncConfig } from './config-sync.ts';

export * from './config-actions.ts';
export * from './config-campaigns.ts';
export * from './config-ingress.ts';
export * from './config-kafka.ts';
export * from './config-mapping.ts';
export * from './config-pollers.ts';
export * from './config-routes.ts';
export * from './config-sinks.ts';
export * from './config-sources.ts';
export * from './config-sync.ts';
export { SecretRef };

export const AccountConfig = z.strictObject({
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .refine(isPlainUrl, 'holds credentials, a query or a fragment; write https://host/wapi alone')
    .meta({ description: 'Address of the instance, for example https://acme.example.com/wapi' }),
  insecure: insecure('http:// in baseUrl, unencrypted'),
  tokens: z.array(SecretRef).min(1).meta({ description: 'Access tokens of the account' }),
  callsPerMinute: z.int().positive().default(120).meta({
    description: 'Calls a minute that one token allows, until the rate headers of the API say otherwise',
  }),
  reserve: z
    .strictObject({
      reply: z.int().nonnegative().default(0).meta({ description: 'Calls a minute kept for replies' }),
      lead: z.int().nonnegative().default(0).meta({ description: 'Calls a minute kept for leads' }),
    })
    .default({ reply: 0, lead: 0 })
    .meta({
      description:
        'Calls a minute of each token that more urgent work finds free at once; what it leaves unused flows down to the other lanes',
    }),
  floor: z.int().nonnegative().default(6).meta({
    description:
      'Calls a minute of each token that polling, campaigns and syncs get even while replies and leads would take all',
  }),
  announce: z.array(AnnounceRule).default([]).meta({
    description: 'Which sinks are told of its conversations and messages, and of which',
  }),
  timeZone: TimeZone.optional().meta({
    description:
      "Clock of the account's business, as in America/Sao_Paulo: campaigns go by it where a contact's own is not known",
  }),
  optOut: OptOutConfig.prefault({}).meta({ description: 'Who wants no campaign of this account' }),
  assumptions: z.record(z.string(), z.unknown()).default({}).meta({
    description:
      'Overrides of what Sluice assumes where the API description is silent, by key: a name, a path such as data.items, or {path, values, unit}; see docs/reference/client.md',
  }),
});
export type AccountConfig = z.infer<typeof AccountConfig>;

export const Config = z.strictObject({
  version: z
    .union([z.literal(1), z.literal('1')])
    .transform(() => 1 as const)
    .meta({ description: 'Version of this format: 1' }),
  accounts: z
    .record(name, AccountConfig)
    .meta({ description: 'Instances of the service that Sluice talks to, by name' }),
  sources: z.record(name, SourceConfig).default({}).meta({ description: 'Where records come from, by name' }),
  sinks: z.record(name, SinkConfig).default({}).meta({
    description: 'Where events go, by name; syncs and accounts say with `announce` what to tell whom',
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
  ingress: IngressConfig.prefault({}).meta({ description: 'How events come in' }),
  routes: z
    .record(name, RouteConfig)
    .default({})
    .meta({ description: 'What events make happen, by name: where they come from, and an action' }),
  pollers: z
    .record(name, PollerConfig)
    .default({})
    .meta({ description: 'Whose conversations are followed, by name' }),
  campaigns: z
    .record(name, CampaignConfig)
    .default({})
    .meta({ description: 'Reactivation campaigns: a flow for each of an audience, in waves, by name' }),
});
export type Config = z.infer<typeof Config>;
