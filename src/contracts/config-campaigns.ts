// The part `campaigns` of sluice.yaml: whom a campaign reaches, with which flow, when, how fast, and when it stops.
import { z } from 'zod';
import { described, durationWithin, FlowId, name } from './config-base.ts';
import { Expression, NumberFormat } from './config-mapping.ts';
import { ScheduleConfig } from './config-schedule.ts';

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
      after: described(Moment, `${what} at or after this time, or less than so long ago`).optional(),
      before: described(Moment, `${what} at or before this time, or longer ago than this`).optional(),
    })
    .optional()
    .meta({ description: `${what} in this period; one of the two is enough` });

/** Filters of GET /v1/cards (API text, Cards), by name where the API takes ids. */
export const CardsAudience = z.strictObject({
  from: z.literal('cards').meta({ description: 'The contacts of cards' }),
  pipeline: described(nameOrId, 'Pipeline, by name or id').optional(),
  stage: described(nameOrId, 'Stage, by name or id; a name needs `pipeline`').optional(),
  source: described(id, 'Id of the origin').optional(),
  contact: described(id, 'Id of the contact').optional(),
  user: described(id, 'Id of the responsible user').optional(),
  status: z
    .array(z.enum(['open', 'won', 'lost']))
    .min(1)
    .optional()
    .meta({ description: 'Any of these' }),
  lostReason: described(
    nameOrId,
    'Why they were lost, by id; by name where the service shows one',
  ).optional(),
  tags: described(tagNames, 'The contact has any of these tags').optional(),
  withoutTags: described(tagNames, 'The contact has none of these tags').optional(),
  title: described(z.string().min(1), 'Part of the title').optional(),
  created: between('Created'),
  closed: between('Closed'),
  inStageSince: between('Entered its stage'),
});
export type CardsAudience = z.infer<typeof CardsAudience>;

/** Filters of GET /v1/contacts (API text, Contacts). */
export const ContactsAudience = z.strictObject({
  from: z.literal('contacts').meta({ description: 'Contacts of the account' }),
  tags: described(tagNames, 'Any of these tags').optional(),
  channel: described(z.string().min(1), 'Channel, for example whatsapp').optional(),
  search: described(z.string().min(1), 'Part of a name or number').optional(),
  email: described(z.string().min(1), 'Part of an e-mail address').optional(),
});
export type ContactsAudience = z.infer<typeof ContactsAudience>;

export const SourceAudience = z.strictObject({
  from: z.literal('source').meta({ description: 'Rows of a source, for example a CSV file' }),
  source: described(name, 'Which of `sources`'),
  number: described(Expression, 'Yields the phone number'),
});
export type SourceAudience = z.infer<typeof SourceAudience>;

export const LedgerAudience = z.strictObject({
  from: z.literal('ledger').meta({ description: 'People that Sluice knows; costs no call' }),
  tags: described(tagNames, 'Sluice put any of these tags on them').optional(),
  pipeline: described(
    z.string().min(1),
    'They have a card in this pipeline, as a mapping names it',
  ).optional(),
  stage: described(z.string().min(1), 'Sluice put that card into this stage').optional(),
  createdBy: described(name, 'Which of `syncs` created the contact').optional(),
  silentFor: described(
    durationWithin('1h', '3650d'),
    'They have a conversation, and wrote nothing for so long, as the poller saw it',
  ).optional(),
  campaign: z
    .strictObject({
      name: described(name, 'Which of `campaigns`: those that its last run reached'),
      replied: described(z.boolean(), 'Only those who replied, or only those who did not').optional(),
    })
    .optional()
    .meta({ description: 'They were members of a campaign' }),
});
export type LedgerAudience = z.infer<typeof LedgerAudience>;

export const AudiencePart = z.discriminatedUnion('from', [
  CardsAudience,
  ContactsAudience,
  SourceAudience,
  LedgerAudience,
]);
export type AudiencePart = z.infer<typeof AudiencePart>;

/** Who is left out; who has opted out is so always. Each member that is left out tells by which of these. */
export const Exclusions = z.strictObject({
  tags: described(tagNames, 'Contacts with any of these tags').optional(),
  numbers: z
    .union([
      z.array(z.string().min(1)).min(1),
      z.strictObject({
        source: described(name, 'Which of `sources`'),
        number: described(Expression, 'Yields the phone number'),
      }),
    ])
    .optional()
    .meta({ description: 'These numbers, or those of a source' }),
  campaigns: z
    .array(name)
    .min(1)
    .optional()
    .meta({ description: 'Whom any run of these campaigns has reached' }),
  contactedWithin: described(
    durationWithin('1h', '3650d'),
    'Whom anything reached lately, as far as Sluice sent or a poller saw it: campaigns, flows, messages',
  ).optional(),
  openConversation: described(
    z.boolean().default(false),
    'Who has an open conversation, as the poller saw it last',
  ),
  humanService: described(z.boolean().default(true), 'Whom a person serves, as the poller saw it last'),
});
export type Exclusions = z.infer<typeof Exclusions>;

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d';
export const TimeRange = z
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
      z.strictObject({ field: described(Expression, 'Yields a time zone of the IANA list') }),
    ])
    .default('number')
    .meta({
      description:
        "Whose clock counts: that of the contact, told by the number (all zones that it may be in) or by a field (where that tells none, by the number); or the account's for all",
    }),
  days: z.partialRecord(z.enum(WEEKDAYS), z.array(TimeRange).min(1)).meta({
    description:
      'Weekday → when flows may be triggered; a range over midnight belongs to the day it begins on',
  }),
  holidays: z
    .array(Holiday)
    .default([])
    .meta({ description: 'Days without any window, 2026-12-25, or 12-25 for every year' }),
});
export type SendingWindows = z.infer<typeof SendingWindows>;

export const WavesConfig = z.strictObject({
  canary: described(count, 'A first wave of this size, before the others').optional(),
  size: z
    .union([count, z.array(count).min(1).max(100)])
    .default(500)
    .meta({ description: 'Members a wave; a list is a ramp, whose last size is kept' }),
  every: described(
    durationWithin('0s', '365d').default('0s'),
    'At least so long from the beginning of a wave to the next',
  ),
  settle: described(
    durationWithin('0s', '30d').default('15m'),
    'How long after its last trigger a wave is judged, so that people have time to answer',
  ),
  callsPerMinute: described(
    count,
    'At most so many triggers a minute; without it as many as the budget leaves',
  ).optional(),
});
export type WavesConfig = z.infer<typeof WavesConfig>;

/** A wave that breaks one of them pauses the campaign; shares of the members that the wave has tried. */
export const StopRules = z.strictObject({
  failed: described(share, 'More than this share failed').optional(),
  unknown: described(share, 'Of more than this share the outcome is unknown').optional(),
  humanService: described(share, 'More than this share was in human service').optional(),
  optOut: described(share, 'More than this share opted out').optional(),
  replies: described(share, 'Less than this share replied, as the poller saw it').optional(),
  atLeast: described(count.default(20), 'A smaller wave is judged by no share'),
});
export type StopRules = z.infer<typeof StopRules>;

export const CampaignConfig = z.strictObject({
  account: described(name, 'Which of `accounts`'),
  flow: described(FlowId, 'Id of the flow to trigger, as the panel shows it: active and published'),
  connection: described(id, 'Id of the outgoing connection, of channel whatsapp or waba'),
  variables: z.record(z.string().min(1), Expression).default({}).meta({
    description:
      'Variables of the flow: name → expression over the card (card.…, contact.…), the contact (contact.…) or the row; who lacks one is left out',
  }),
  defaultCountry: z
    .string()
    .regex(/^[A-Z]{2}$/, 'two capital letters, for example BR')
    .optional()
    .meta({ description: 'ISO 3166 country of numbers written without a country code' }),
  numberFormat: NumberFormat.optional(),
  audience: z
    .array(AudiencePart)
    .min(1)
    .max(20)
    .meta({ description: 'Whom to reach: all of these together, each person once' }),
  exclude: Exclusions.prefault({}).meta({ description: 'Whom to leave out' }),
  holdout: z.number().min(0).lt(1).default(0).meta({
    description: 'Share of the audience that is left alone, to compare with; the same people each time',
  }),
  start: Instant.optional().meta({ description: 'Not before, with offset' }),
  end: Instant.optional().meta({
    description: 'Not after, with offset; a plan that can not be done by then is refused',
  }),
  windows: SendingWindows.meta({ description: 'When flows may be triggered' }),
  waves: WavesConfig.prefault({}).meta({ description: 'How many at once, and how fast' }),
  stop: StopRules.prefault({}).meta({ description: 'What pauses the campaign after a wave' }),
  cap: z
    .strictObject({
      times: described(count.default(1), 'At most so often'),
      within: described(durationWithin('1h', '3650d').default('7d'), 'in so long'),
    })
    .prefault({})
    .meta({ description: 'How often campaigns of the account, all together, may reach one person' }),
  recheck: z.enum(['ledger', 'api']).default('ledger').meta({
    description:
      'What is looked at just before the call: what the ledger knows; api also reads the tags of the contact, for one call more a member',
  }),
  conversationWindow: z.enum(['any', 'open']).default('any').meta({
    description:
      'open: only while the 24-hour window of the waba conversation is open, as far as a poller knows; for flows that begin with free text',
  }),
  humanService: z
    .strictObject({
      retryAfter: described(durationWithin('10m', '365d'), 'Tried again so much later').optional(),
      times: described(z.int().min(1).max(10).default(1), 'So often'),
    })
    .prefault({})
    .meta({ description: 'Whom a person serves when it is their turn: tried again later, or left out' }),
  after: z
    .strictObject({
      stage: z
        .strictObject({
          pipeline: described(nameOrId, 'Pipeline of the card, by name or id'),
          stage: described(nameOrId, 'Where its card goes, by name or id'),
        })
        .optional()
        .meta({
          description: 'Move the card of each member: the one it came with, else the newest open one',
        }),
      tags: described(tagNames, 'Tags that each member gets').optional(),
    })
    .prefault({})
    .meta({ description: 'What follows a trigger, so that the next audience leaves them out' }),
  approval: z.enum(['none', 'second-person']).default('none').meta({
    description: 'second-person: somebody else than who made the plan has to approve it',
  }),
  schedule: ScheduleConfig.optional().meta({
    description: 'Plans the campaign anew, and starts it, by itself',
  }),
});
export type CampaignConfig = z.infer<typeof CampaignConfig>;

/** What an account says for all of its campaigns. */
export const OptOutConfig = z.strictObject({
  tags: z.array(z.string().min(1)).default([]).meta({ description: 'Tags of contacts who want no campaign' }),
  words: z.array(z.string().min(1).max(60)).default([]).meta({
    description:
      'Replies that mean the same, as a poller sees them: the whole message, whatever its case, accents and punctuation',
  }),
});
export type OptOutConfig = z.infer<typeof OptOutConfig>;
