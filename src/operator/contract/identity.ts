// Endpoints of logins, users, access tokens and the audit log.
import { z } from 'zod';
import { Cursor, endpoint, PageLimit, ROLES, Time } from '../../core/endpoint.ts';
import { isPlainName } from '../../core/plain-name.ts';

const Role = z.enum(ROLES);
/** The name that a user logs in with. It never changes: the audit log and approvals refer to it. */
export const UserName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'use lower-case letters, digits, ".", "-" and "_" (at most 63)');
/** Without control characters and direction marks, with which one name could look like another. */
const Shown = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine(isPlainName, 'remove control characters, direction marks and invisible characters');
const DisplayName = Shown;
/** Its rules are checked where it is set, so that the message can name the rule. */
export const Password = z.string().min(1).max(1000);
/** Six digits of an authenticator app, or a recovery code. */
export const Code = z.string().trim().min(1).max(40);
const UnixUser = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.@\\-]{0,62}\$?$/, 'is no name of a Unix user');

export const Me = z.object({
  identity: z.string(),
  /** Null for a Unix user that is not linked to a user. */
  name: z.string().nullable(),
  displayName: z.string(),
  role: Role,
  via: z.enum(['session', 'token', 'socket', 'local']),
  /** A second factor is required and you have none: nothing but turning it on is answered. */
  needsSecondFactor: z.boolean(),
});
export type Me = z.infer<typeof Me>;

export const LoggedIn = z.object({
  /** Null when a code is asked for: the login has not ended. */
  user: Me.nullable(),
  /** For the header X-CSRF-Token of every command; null when the login has made an access token. */
  csrfToken: z.string().nullable(),
  /** The access token that the login asked for. It is shown only here. */
  accessToken: z.string().nullable(),
  /** The user has a second factor: send this with a code to `POST /login/code` within 5 minutes. Null otherwise. */
  pending: z.string().nullable(),
});
export type LoggedIn = z.infer<typeof LoggedIn>;

/** From when a user may approve plans of which users. */
const ApprovalWaits = z.array(z.object({ from: Time, plansOf: z.array(z.string()) }));

const User = z.object({
  name: z.string(),
  displayName: z.string(),
  role: Role,
  hasPassword: z.boolean(),
  /** A login with a password asks for a code too. */
  hasSecondFactor: z.boolean(),
  /** Issuer of the OpenID provider that the user comes from. The provider decides the role. */
  oidcIssuer: z.string().nullable(),
  unixUser: z.string().nullable(),
  createdAt: Time,
  lastLoginAt: Time.nullable(),
  disabledAt: Time.nullable(),
  /**
   * Of a user who may approve plans: from when plans of which users. Until then Sluice refuses, because one person may
   * be behind both. The soonest first; empty: plans of everybody else.
   */
  approvalWaits: ApprovalWaits,
});
export type User = z.infer<typeof User>;

const AccessToken = z.object({
  id: z.int(),
  user: z.string(),
  name: z.string(),
  createdAt: Time,
  expiresAt: Time,
  lastUsedAt: Time.nullable(),
});
export type AccessToken = z.infer<typeof AccessToken>;

const Session = z.object({
  id: z.int(),
  user: z.string(),
  /** How it began. */
  via: z.enum(['password', 'oidc', 'link']),
  /** What the browser called itself; empty when it named nothing. */
  agent: z.string(),
  createdAt: Time,
  lastSeenAt: Time,
  /** When it ends without another request. */
  endsAt: Time,
  /** The session of this request. */
  isCurrent: z.boolean(),
});
export type Session = z.infer<typeof Session>;

const AuditLine = z.object({
  id: z.int(),
  at: Time,
  /** Null: nobody had logged in. */
  identity: z.string().nullable(),
  name: z.string().nullable(),
  role: Role.nullable(),
  via: z.string().nullable(),
  action: z.string(),
  target: z.string(),
  details: z.record(z.string(), z.unknown()),
  /** `started`: in progress, or the process died meanwhile. */
  outcome: z.enum(['started', 'ok', 'denied', 'failed']),
});
export type AuditLine = z.infer<typeof AuditLine>;
export type AuditOutcome = AuditLine['outcome'];

const TokenName = Shown;

export const IDENTITY = {
  'GET /session': endpoint({
    role: 'anyone',
    withoutSecondFactor: ['session'],
    summary: 'Who you are, and how you can log in.',
    input: z.strictObject({}),
    output: z.object({
      user: Me.nullable(),
      /** For the header X-CSRF-Token of every command. */
      csrfToken: z.string().nullable(),
      /** Login with an OpenID provider, at /auth/oidc. */
      oidc: z.object({ label: z.string() }).nullable(),
      /** There is no admin yet: open the one-time link that `sluice console` prints. */
      needsFirstAdmin: z.boolean(),
    }),
  }),
  // The handlers of these three write the audit log: they know who has logged in.
  'POST /login': endpoint({
    role: 'anyone',
    summary: 'Log in with a password. Browsers get a session cookie, commands an access token.',
    input: z.strictObject({
      name: z.string().min(1).max(200),
      password: Password,
      /** Makes an access token for 30 days instead of a session. The name tells it apart, for example by machine. */
      accessToken: z.strictObject({ name: TokenName }).optional(),
    }),
    output: LoggedIn,
    reads: true,
  }),
  'POST /login/code': endpoint({
    role: 'anyone',
    summary: 'Complete a login of a user with a second factor.',
    input: z.strictObject({
      /** From the answer of `POST /login` or `POST /session/claim`. */
      pending: z.string().min(1).max(2000),
      code: Code,
    }),
    output: LoggedIn,
    reads: true,
  }),
  'POST /session/claim': endpoint({
    role: 'anyone',
    summary: 'Use a one-time link: become the first admin, or choose your password.',
    input: z.strictObject({
      link: z.string().min(1).max(200),
      /** Name of the first admin. */
      name: UserName.optional(),
      displayName: DisplayName.optional(),
      password: Password,
    }),
    output: LoggedIn,
    reads: true,
  }),
  'POST /logout': endpoint({
    role: 'viewer',
    withoutSecondFactor: ['session', 'token'],
    summary:
      'End this session or revoke this access token; or end all of your sessions and revoke all of your access tokens.',
    input: z.strictObject({ everywhere: z.boolean().default(false) }),
    output: z.object({}),
    audit: ['everywhere'],
  }),
  'POST /password': endpoint({
    role: 'viewer',
    summary: 'Change your own password. All of your other sessions end, and your access tokens are revoked.',
    input: z.strictObject({
      current: Password,
      password: Password,
      /** Required when you have a second factor. */
      code: Code.optional(),
      /** Do not revoke your access tokens. */
      keepTokens: z.boolean().default(false),
    }),
    output: LoggedIn,
    audit: ['keepTokens'],
  }),
  'POST /console': endpoint({
    role: 'admin',
    summary: 'Where the console is, with a one-time link for the first admin while there is none.',
    input: z.strictObject({}),
    output: z.object({
      /** Null: this process serves no console. */
      url: z.string().nullable(),
      /** Null: there is an admin already. */
      link: z.string().nullable(),
      /** When the link ends. ISO 8601. */
      expiresAt: z.string().nullable(),
    }),
  }),
  'GET /users': endpoint({
    role: 'admin',
    summary: 'List users by name.',
    input: z.strictObject({ limit: PageLimit, after: Cursor }),
    output: z.object({ users: z.array(User), next: z.string().nullable() }),
  }),
  'POST /users': endpoint({
    role: 'admin',
    summary: 'Add a user. Without a password, make a one-time link with which the user chooses one.',
    input: z.strictObject({
      name: UserName,
      displayName: DisplayName.optional(),
      role: Role,
      password: Password.optional(),
      unixUser: UnixUser.optional(),
    }),
    output: User,
    audit: ['name', 'role', 'unixUser'],
  }),
  'PATCH /users/{name}': endpoint({
    role: 'admin',
    summary:
      'Change a user. A new role ends the sessions of the user. Disabling also revokes access tokens and links.',
    input: z.strictObject({
      name: UserName,
      displayName: DisplayName.optional(),
      role: Role.optional(),
      disabled: z.boolean().optional(),
      /** Null removes it. */
      unixUser: UnixUser.nullable().optional(),
    }),
    /** `before`: what the change replaced. */
    output: User.extend({ before: z.object({ role: Role, disabled: z.boolean() }) }),
    audit: ['role', 'disabled', 'unixUser'],
    auditOutput: ['before.role'],
  }),
  'POST /users/{name}/password': endpoint({
    role: 'admin',
    summary: 'Set the password of a user. Their sessions end, and their access tokens are revoked.',
    input: z.strictObject({ name: UserName, password: Password }),
    output: z.object({}),
  }),
  'POST /users/{name}/link': endpoint({
    role: 'admin',
    summary: 'Make a one-time link with which a user chooses a password. It replaces an earlier one.',
    input: z.strictObject({ name: UserName }),
    /** Path and fragment, for after the URL of the console. It is shown only here. */
    output: z.object({ path: z.string(), expiresAt: Time, approvalWaits: ApprovalWaits }),
  }),
  'POST /users/{name}/logout': endpoint({
    role: 'admin',
    summary: 'End all sessions of a user, and revoke all access tokens of the user.',
    input: z.strictObject({ name: UserName }),
    output: z.object({}),
  }),
  'GET /sessions': endpoint({
    role: 'viewer',
    summary: 'List your sessions, newest first; as admin, those of any user.',
    input: z.strictObject({ user: UserName.optional(), limit: PageLimit, before: Cursor }),
    output: z.object({ sessions: z.array(Session), next: z.string().nullable() }),
  }),
  'POST /sessions/{session}/end': endpoint({
    role: 'viewer',
    summary: 'End one of your sessions; as admin, one of any user.',
    input: z.strictObject({ session: z.coerce.number<string | number>().int().positive() }),
    output: z.object({}),
  }),
  'POST /sessions/end-others': endpoint({
    role: 'viewer',
    summary: 'End all of your sessions but this one. Access tokens stay.',
    input: z.strictObject({}),
    output: z.object({ ended: z.int() }),
    auditOutput: ['ended'],
  }),
  'GET /tokens': endpoint({
    role: 'viewer',
    summary: 'List your access tokens; as admin, those of all users.',
    input: z.strictObject({ all: z.boolean().default(false), limit: PageLimit, after: Cursor }),
    output: z.object({ tokens: z.array(AccessToken), next: z.string().nullable() }),
  }),
  'POST /tokens': endpoint({
    role: 'viewer',
    summary: 'Make an access token for remote commands, with your role.',
    input: z.strictObject({ name: TokenName, days: z.int().min(1).max(366).default(90) }),
    /** `secret` is shown only here. */
    output: z.object({ token: AccessToken, secret: z.string() }),
    audit: ['name', 'days'],
  }),
  'DELETE /tokens/{id}': endpoint({
    role: 'viewer',
    summary: 'Revoke one of your access tokens; as admin, one of any user.',
    input: z.strictObject({ id: z.coerce.number<string | number>().int().positive() }),
    output: z.object({}),
  }),
  'GET /audit': endpoint({
    role: 'admin',
    summary: 'List the audit log, newest first.',
    input: z.strictObject({
      identity: z.string().max(200).optional(),
      /** A route such as `POST /users`, or `reveal`. */
      action: z.string().max(200).optional(),
      outcome: AuditLine.shape.outcome.optional(),
      /** Part of the target. */
      target: z.string().max(200).optional(),
      from: Time.optional(),
      to: Time.optional(),
      limit: PageLimit,
      before: Cursor,
    }),
    output: z.object({ lines: z.array(AuditLine), next: z.string().nullable() }),
  }),
} as const;
