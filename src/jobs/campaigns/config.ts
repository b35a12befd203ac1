// The part `campaigns` of sluice.yaml: who a campaign reaches, with which flow, when, how fast, and when it stops.
import { z } from 'zod';
import { described, durationWithin, FlowId, name } from '../../core/config/base.ts';
import { ScheduleConfig } from '../../core/config/schedule.ts';
import { CountryOfRow, DefaultCountry, Expression, NumberFormat } from '../../mapping/config.ts';
import { DEFAULTS, WEEKDAYS } from './constants.ts';

const id = z.int().positive();
const nameOrId = z.union([id, z.string().min(1)]);
const tagNames = z.array(z.string().min(1)).min(1);
const share = z.number().gt(0).max(1);
const count = z.int().positive();

const Instant = z.iso.datetime({
  offset: true,
  error: 'write a time with its offset, for example 2026-12-01T09:00:00-03:00',
});

/** An instant, or a span of time before the audience is read. */
const Moment = z.union([
  // First, so that its message is the one that a wrong value gets.
  z.iso.datetime({
    offset: true,
    error: 'write a time with its offset (2026-11-01T00:00:00-03:00), or a span before the plan (90d)',
  }),
  durationWithin('1m', '36500d'),
]);
export type Moment = z.infer<typeof Moment>;

const between = (what: string) =>
  z
    .strictObject({
      after: described(
        Moment,
        `${what} at or after this time. A span such as 90d means less than 90 days before the plan. Default: no limit.`,
      ).optional(),
      before: described(
        Moment,
        `${what} at or before this time. A span such as 30d means more than 30 days before the plan. Default: no limit.`,
      ).optional(),
    })
    .optional()
    .meta({ description: `${what} in this period. Set after, before or both. Default: any time.` });

/** Filters of GET /v1/cards (API text, Cards), by name where the API takes ids. */
export const CardsAudience = z.strictObject({
  from: z.literal('cards').meta({
    description: 'The contacts of cards. A card must match all filters, and at least one filter is required.',
  }),
  pipeline: described(nameOrId, 'Pipeline of the card, by name or id. Default: any.').optional(),
  stage: described(
    nameOrId,
    'Stage of the card, by name or id. A name needs `pipeline`. Default: any.',
  ).optional(),
  source: described(id, 'Id of the origin of the card. Default: any.').optional(),
  contact: described(id, 'Id of the contact of the card. Default: any.').optional(),
  user: described(id, 'Id of the user who is responsible for the card. Default: any.').optional(),
  status: z
    .array(z.enum(['open', 'won', 'lost']))
    .min(1)
    .optional()
    .meta({ description: 'Statuses of the card; one must match. Default: any.' }),
  lostReason: described(
    nameOrId,
    'Reason why the card was lost, by id, or by name if the service shows one. Default: any.',
  ).optional(),
  tags: described(tagNames, 'The contact has at least one of these tags. Default: no filter.').optional(),
  withoutTags: described(tagNames, 'The contact has none of these tags. Default: no filter.').optional(),
  title: described(z.string().min(1), 'Text that the title contains. Default: no filter.').optional(),
  created: between('Created'),
  closed: between('Closed'),
  inStageSince: between('Entered its stage'),
});
export type CardsAudience = z.infer<typeof CardsAudience>;

/** Filters of GET /v1/contacts (API text, Contacts). */
export const ContactsAudience = z.strictObject({
  from: z.literal('contacts').meta({ description: 'Contacts of the account.' }),
  tags: described(tagNames, 'The contact has at least one of these tags. Default: no filter.').optional(),
  channel: described(
    z.string().min(1),
    'Channel of the contact, for example whatsapp. Default: any.',
  ).optional(),
  search: described(
    z.string().min(1),
    'Text that the name or the number contains. Default: no filter.',
  ).optional(),
  email: described(
    z.string().min(1),
    'Text that the e-mail address contains. Default: no filter.',
  ).optional(),
});
export type ContactsAudience = z.infer<typeof ContactsAudience>;

const SourceAudience = z.strictObject({
  from: z.literal('source').meta({ description: 'Rows of a source, for example of a CSV file.' }),
  source: described(name, 'Source to read: a name from `sources`.'),
  number: described(Expression, 'Expression for the phone number.'),
  country: CountryOfRow.optional(),
});
type SourceAudience = z.infer<typeof SourceAudience>;

export const LedgerAudience = z.strictObject({
  from: z.literal('ledger').meta({ description: 'People in the ledger. Reading them costs no call.' }),
  tags: described(tagNames, 'Sluice set at least one of these tags. Default: no filter.').optional(),
  pipeline: described(
    z.string().min(1),
    'The person has a card in this pipeline, named as in the mapping. Default: any.',
  ).optional(),
  stage: described(z.string().min(1), 'Sluice put that card into this stage. Default: any.').optional(),
  createdBy: described(name, 'Sync that created the contact: a name from `syncs`. Default: any.').optional(),
  silentFor: described(
    durationWithin('1h', '3650d'),
    'The person has a conversation and wrote nothing for this long, as a poller saw it: 1h to 3650d. Default: no filter.',
  ).optional(),
  campaign: z
    .strictObject({
      name: described(name, 'Campaign whose last run reached the person: a name from `campaigns`.'),
      replied: described(
        z.boolean(),
        'true: only people who replied. false: only people who did not. Default: both.',
      ).optional(),
    })
    .optional()
    .meta({ description: 'The person was a member of a campaign. Default: no filter.' }),
});
export type LedgerAudience = z.infer<typeof LedgerAudience>;

export const AudiencePart = z.discriminatedUnion('from', [
  CardsAudience,
  ContactsAudience,
  SourceAudience,
  LedgerAudience,
]);
export type AudiencePart = z.infer<typeof AudiencePart>;

/** Who is excluded. Opted-out people always are. The member's code names the rule. */
const Exclusions = z.strictObject({
  tags: described(tagNames, 'Excludes contacts with at least one of these tags. Default: none.').optional(),
  numbers: z
    .union([
      z.array(z.string().min(1)).min(1),
      z.strictObject({
        source: described(name, 'Source with the numbers: a name from `sources`.'),
        number: described(Expression, 'Expression for the phone number.'),
        country: CountryOfRow.optional(),
      }),
    ])
    .optional()
    .meta({ description: 'Excludes these phone numbers: a list, or the rows of a source. Default: none.' }),
  campaigns: z.array(name).min(1).optional().meta({
    description:
      'Excludes everyone who was reached by any run of these campaigns. A campaign may name itself. Default: none.',
  }),
  contactedWithin: described(
    durationWithin('1h', '3650d'),
    'Excludes everyone who got a campaign, a flow or a message in this period, as far as Sluice sent it or a poller saw it: 1h to 3650d. Default: nobody.',
  ).optional(),
  openConversation: described(
    z.boolean().default(DEFAULTS.exclude.openConversation),
    'true excludes people with an open conversation, as a poller saw it last. Default: false.',
  ),
  humanService: described(
    z.boolean().default(DEFAULTS.exclude.humanService),
    'true excludes people in human service, as a poller saw it last. Default: true.',
  ),
});
type Exclusions = z.infer<typeof Exclusions>;

const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const TimeRange = z
  .string()
  .regex(
    new RegExp(`^${TIME}-(?:${TIME}|24:00)$`),
    'write from and to, for example 09:00-18:30; 22:00-02:00 ends the next day, 00:00-24:00 is the whole day',
  );

/** A day of one year, or of every one; the year 2000 has all days that any year has. */
const Holiday = z
  .string()
  .regex(/^(?:\d{4}-)?\d\d-\d\d$/, { error: 'write 2026-12-25, or 12-25 for every year', abort: true })
  .refine((day) => z.iso.date().safeParse(day.length === 5 ? `2000-${day}` : day).success, {
    error: ({ input }) => `${String(input)} is a day that no calendar has; write month and day as 12-25`,
  });

export const SendingWindows = z.strictObject({
  zone: z
    .union([
      z.enum(['number', 'account']),
      z.strictObject({
        field: described(
          Expression,
          'Expression for a time zone of the IANA list. If it yields none, the number decides.',
        ),
      }),
    ])
    .default('number')
    .meta({
      description:
        "The time zone of the hours. number: the contact's, derived from the number; if several zones are possible, the window must be open in all of them. account: the account's. {field}: the contact's, from a field. Default: number.",
    }),
  days: z.partialRecord(z.enum(WEEKDAYS), z.array(TimeRange).min(1)).meta({
    description:
      'When flows may be triggered: weekday (mon to sun) to ranges such as 09:00-18:00. A range over midnight belongs to the day on which it begins.',
  }),
  holidays: z
    .array(Holiday)
    .default([])
    .meta({ description: 'Days without a window: 2026-12-25, or 12-25 for every year. Default: [].' }),
});
export type SendingWindows = z.infer<typeof SendingWindows>;

export const WavesConfig = z.strictObject({
  canary: described(count, 'Number of members in a first, small wave. Default: none.').optional(),
  size: z
    .union([count, z.array(count).min(1).max(100)])
    .default(DEFAULTS.waves.size)
    .meta({ description: 'Members per wave. A list is a ramp, whose last size repeats. Default: 500.' }),
  every: described(
    durationWithin('0s', '365d').default(DEFAULTS.waves.every),
    'Minimum time between the starts of two waves, up to 365d. Default: 0s.',
  ),
  settle: described(
    durationWithin('0s', '30d').default(DEFAULTS.waves.settle),
    'Time between the last trigger of a wave and the check of its stop rules, up to 30d. People need it to reply. Default: 15m.',
  ),
  callsPerMinute: described(
    count,
    'Maximum number of triggers per minute. Default: as many as the budget allows.',
  ).optional(),
});
export type WavesConfig = z.infer<typeof WavesConfig>;

/** A wave that breaks one of them pauses the campaign; shares of the members that the wave has tried. */
export const StopRules = z.strictObject({
  failed: described(
    share,
    'Pauses the campaign when more than this share failed, above 0 and up to 1. Default: no limit.',
  ).optional(),
  unknown: described(
    share,
    'Pauses the campaign when more than this share ended as unknown, above 0 and up to 1. Default: no limit.',
  ).optional(),
  humanService: described(
    share,
    'Pauses the campaign when more than this share was in human service, above 0 and up to 1. Default: no limit.',
  ).optional(),
  optOut: described(
    share,
    'Pauses the campaign when more than this share opted out, above 0 and up to 1. Default: no limit.',
  ).optional(),
  replies: described(
    share,
    'Pauses the campaign when less than this share replied, as a poller saw it, above 0 and up to 1. Default: no limit.',
  ).optional(),
  atLeast: described(
    count.default(DEFAULTS.stop.atLeast),
    'Minimum number of tried members in a wave. The stop rules ignore smaller waves. Default: 20.',
  ),
});
export type StopRules = z.infer<typeof StopRules>;

export const CampaignConfig = z.strictObject({
  account: described(name, 'Account of the campaign: a name from `accounts`. It needs a timeZone.'),
  flow: described(
    FlowId,
    'Id of the flow to trigger, as the panel shows it. The flow must be active and published.',
  ),
  connection: described(id, 'Id of the outgoing connection, of the channel whatsapp or waba.'),
  variables: z.record(z.string().min(1), Expression).default({}).meta({
    description:
      'Variables of the flow: name to expression over card.… and contact.…, or over the row of a source. A member with an empty variable is excluded. Default: {}.',
  }),
  defaultCountry: DefaultCountry,
  numberFormat: NumberFormat.optional(),
  audience: z
    .array(AudiencePart)
    .min(1)
    .max(20)
    .meta({ description: 'Who the campaign reaches: the union of 1 to 20 parts. Each person counts once.' }),
  exclude: Exclusions.prefault({}).meta({
    description:
      'Who is excluded. People who opted out are always excluded. Default: people in human service.',
  }),
  holdout: z.number().min(0).lt(1).default(DEFAULTS.holdout).meta({
    description:
      'Probability with which a person is in the control group, from 0 to less than 1; the size varies by chance. It gets no trigger and is the same at every run. Default: 0.',
  }),
  start: Instant.optional().meta({
    description:
      'Time of the first trigger at the earliest, with offset. Default: as soon as the campaign is started.',
  }),
  end: Instant.optional().meta({
    description:
      'Time of the last trigger at the latest, with offset. A plan that ends later is refused. Default: no limit.',
  }),
  windows: SendingWindows.meta({ description: 'When flows may be triggered.' }),
  waves: WavesConfig.prefault({}).meta({
    description: 'Size and pace of the waves. Default: waves of 500 without a canary.',
  }),
  stop: StopRules.prefault({}).meta({
    description:
      'Rules that pause the campaign after a wave, as shares of the members that the wave tried. Default: none.',
  }),
  cap: z
    .strictObject({
      times: described(
        count.default(DEFAULTS.cap.times),
        'Maximum number of triggers per person in the period. Default: 1.',
      ),
      within: described(
        durationWithin('1h', '3650d').default(DEFAULTS.cap.within),
        'Length of the period, 1h to 3650d. Default: 7d.',
      ),
    })
    .prefault({})
    .meta({
      description: 'Frequency cap per person, over all campaigns of the account. Default: 1 trigger in 7d.',
    }),
  recheck: z.enum(['ledger', 'api']).default('ledger').meta({
    description:
      'What Sluice checks right before the call. ledger: what the ledger knows. api: also the tags of the contact, read at most seconds before, for one more call per member. Default: ledger.',
  }),
  recheckWithin: durationWithin('5s', '60s').default('60s').meta({
    description:
      'With recheck: api, the maximum age of the tags at the trigger, 5s to 60s. Sluice reads them again when they are older, for one more call. It aims at 5s; older tags are accepted only while the budget is crowded. Default: 60s.',
  }),
  conversationWindow: z.enum(['any', 'open']).default('any').meta({
    description:
      'open: triggers only while the 24-hour window of the waba conversation is open, as a poller saw it. Use it for flows that begin with free text. any: no check. Default: any.',
  }),
  humanService: z
    .strictObject({
      retryAfter: described(
        durationWithin('10m', '365d'),
        'Time after which a member in human service is tried again, 10m to 365d. Default: none; the member is skipped.',
      ).optional(),
      times: described(
        z.int().min(1).max(10).default(1),
        'Maximum number of further attempts, 1 to 10. Default: 1.',
      ),
    })
    .prefault({})
    .meta({
      description:
        'What happens to a member in human service when the trigger is due. Default: the member is skipped.',
    }),
  after: z
    .strictObject({
      stage: z
        .strictObject({
          pipeline: described(nameOrId, 'Pipeline of the card, by name or id.'),
          stage: described(nameOrId, 'Stage to which the card moves, by name or id.'),
        })
        .optional()
        .meta({
          description:
            'Moves the card of each member: the card from the audience, otherwise the newest open card. Default: no move.',
        }),
      tags: described(tagNames, 'Tags to add to each member. Default: none.').optional(),
    })
    .prefault({})
    .meta({
      description:
        'What follows a trigger, so that the next audience can exclude these people. Default: nothing.',
    }),
  approval: z.enum(['none', 'second-person']).default('none').meta({
    description:
      'second-person: someone other than the author of the plan must approve it before the start. The operator API then writes no campaign without it. none: no approval. Default: none.',
  }),
  schedule: ScheduleConfig.optional().meta({
    description: 'Plans and starts the campaign at fixed times. Default: only when you start it.',
  }),
});
export type CampaignConfig = z.infer<typeof CampaignConfig>;

/** What an account says for all of its campaigns. */
export const OptOutConfig = z.strictObject({
  tags: z
    .array(z.string().min(1))
    .default([])
    .meta({ description: 'Tags of contacts who get no campaign. Default: [].' }),
  words: z.array(z.string().min(1).max(60)).default([]).meta({
    description:
      'Replies that opt a contact out, as a poller sees them. The whole message must match; case, accents and punctuation are ignored. Default: [].',
  }),
});
export type OptOutConfig = z.infer<typeof OptOutConfig>;
