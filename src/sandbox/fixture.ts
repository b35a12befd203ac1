// The fixture: what a file may ask the sandbox to hold. The same shape is what PATCH of the panel takes and what
// the panel shows. Every field but ids is optional; an unknown key is refused with its path.
import { z } from 'zod';
import { CARD_STATUSES, CONVERSATION_STATUSES, FATES, FIELD_TYPES, HOOK_ACTIONS, SCOPES } from './model.ts';

const id = z.int().positive();
const instant = z.iso.datetime({ offset: true });
const list = <T extends z.ZodType>(item: T) => z.array(item).optional();

export const TokenFixture = z.strictObject({
  value: z.string().min(1).regex(/^\S+$/, 'no white space in a token'),
  scopes: list(z.enum(SCOPES)),
  expiresAt: instant.nullish(),
  revoked: z.boolean().optional(),
});

export const ConnectionFixture = z.strictObject({
  id,
  name: z.string().optional(),
  channel: z.string().min(1).optional(),
  status: z.string().min(1).optional(),
  isDefault: z.boolean().optional(),
});

export const NamedFixture = z.strictObject({ id, name: z.string().optional() });

export const TagFixture = z.strictObject({
  id,
  name: z.string().optional(),
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{3,8}$/, 'a hex color, for example "#ff0000"')
    .optional(),
});

export const CustomFieldFixture = z.strictObject({
  name: z.string().min(1),
  type: z.enum(FIELD_TYPES).optional(),
  options: list(z.string()),
  pipelineId: id.nullish(),
});

export const StageFixture = z.strictObject({
  id,
  name: z.string().optional(),
  order: z.number().optional(),
  probability: z.int().min(0).max(100).optional(),
  isFinal: z.boolean().optional(),
  isWon: z.boolean().optional(),
  requiresSource: z.boolean().optional(),
});

export const PipelineFixture = z.strictObject({
  id,
  name: z.string().optional(),
  stages: list(StageFixture),
});

export const FlowFixture = z.strictObject({
  id,
  name: z.string().optional(),
  active: z.boolean().optional(),
  published: z.boolean().optional(),
  nodes: z.int().min(0).optional(),
});

export const ContactFixture = z.strictObject({
  id,
  number: z
    .string()
    .regex(/^\d{1,15}$/, 'E.164 without plus: 1 to 15 digits')
    .optional(),
  name: z.string().optional(),
  email: z.string().nullish(),
  document: z.string().nullish(),
  channel: z.string().min(1).optional(),
  disableBot: z.boolean().optional(),
  tagIds: list(id),
  extraInfo: list(z.strictObject({ name: z.string(), value: z.string() })),
});

export const MessageFixture = z.strictObject({
  id: z.string().min(1),
  body: z.string().optional(),
  fromMe: z.boolean().optional(),
  at: instant.optional(),
  /** These three are beyond the fixed interface; shown only when a message has them. */
  media: z
    .strictObject({
      name: z.string(),
      type: z.string(),
      size: z.int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/, '64 hex digits'),
    })
    .optional(),
  templateData: z
    .strictObject({
      templateName: z.string().min(1),
      templateLanguage: z.string().min(1),
      templateParameters: z.array(z.string()),
    })
    .optional(),
  fate: z.enum(FATES).optional(),
});

export const ConversationFixture = z.strictObject({
  id,
  contactId: id.optional(),
  connectionId: id.optional(),
  status: z.enum(CONVERSATION_STATUSES).optional(),
  chatbot: z.boolean().optional(),
  userId: id.nullish(),
  queueId: id.nullish(),
  updatedAt: instant.optional(),
  messages: list(MessageFixture),
});

export const CardFixture = z.strictObject({
  id,
  contactId: id.optional(),
  pipelineId: id.optional(),
  stageId: id.nullish(),
  title: z.string().optional(),
  value: z.number().optional(),
  status: z.enum(CARD_STATUSES).optional(),
  userId: id.nullish(),
  sourceId: id.nullish(),
  lostReasonId: id.nullish(),
  expectedCloseDate: z.iso.date().nullish(),
  createdAt: instant.optional(),
  closedAt: instant.nullish(),
  stageEnteredAt: instant.optional(),
  /** Beyond the fixed interface: technical field name → value; shown only when a card has any. */
  customFields: z.record(z.string(), z.json()).optional(),
  /** Likewise. */
  notes: z.string().optional(),
});

export const WebhookFixture = z.strictObject({
  hash: z.string().regex(/^[\w.~-]+$/, 'only characters that a path can hold'),
  action: z.enum(HOOK_ACTIONS).optional(),
  pipelineId: id.nullish(),
  stageId: id.nullish(),
  flowId: id.nullish(),
  connectionId: id.nullish(),
  fieldMapping: z.record(z.string(), z.string()).optional(),
  authMode: z.enum(['none', 'token']).optional(),
  token: z.string().nullish(),
  active: z.boolean().optional(),
});

export const AccountPatch = z.strictObject({
  id: z.string().min(1).optional(),
  defaultConnectionId: id.nullish(),
  tagMode: z.enum(['contacts', 'conversations']).optional(),
  storageLimitReached: z.boolean().optional(),
  missingFeatures: list(z.string()),
  cardTitlePrefix: z.string().optional(),
  tokens: list(TokenFixture),
  connections: list(ConnectionFixture),
  users: list(NamedFixture),
  tags: list(TagFixture),
  sources: list(NamedFixture),
  lostReasons: list(NamedFixture),
  customFields: list(CustomFieldFixture),
  pipelines: list(PipelineFixture),
  flows: list(FlowFixture),
  contacts: list(ContactFixture),
  conversations: list(ConversationFixture),
  cards: list(CardFixture),
  numbersNotOnNetwork: list(z.string()),
  webhooks: list(WebhookFixture),
});
export type AccountPatch = z.infer<typeof AccountPatch>;

export const AccountFixture = AccountPatch.extend({ id: z.string().min(1) });
export const Fixture = z.strictObject({ accounts: list(AccountFixture) });
export type Fixture = z.infer<typeof Fixture>;

/** A fixture or patch that can't be taken; nothing of it was applied. */
export class FixtureError extends Error {
  override readonly name = 'FixtureError';
  /** For example `accounts[0].contacts[2].number`. */
  readonly path: string;
  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`);
    this.path = path;
  }
}

/** Checks against a schema. @throws FixtureError with the path of the first offending place */
export function parseAt<T extends z.ZodType>(schema: T, value: unknown, root = ''): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0] as z.core.$ZodIssue;
  const where = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] as string] : issue.path;
  const reason = issue.code === 'unrecognized_keys' ? 'unknown key' : issue.message;
  throw new FixtureError(pathText(where, root), reason);
}

/** `['accounts', 0, 'id']` → `accounts[0].id` */
export function pathText(parts: readonly PropertyKey[], root = ''): string {
  let text = root;
  for (const part of parts) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text === '' ? '(root)' : text;
}
