// The part `notices` of sluice.yaml: where Sluice says that something needs a person.
import { z } from 'zod';
import { described, durationWithin, insecure, isPlainUrl, SecretRef } from '../../core/config/base.ts';
import { TimeZone } from '../../core/config/schedule.ts';

const Clock = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'write a time of day as HH:MM, for example 22:00');

const QuietHours = z
  .strictObject({
    from: Clock.meta({ description: 'Time of day when quiet hours begin, for example 22:00.' }),
    to: Clock.meta({ description: 'Time of day when they end. A time before `from` is on the next day.' }),
    timeZone: described(TimeZone, 'IANA time zone of both times, for example America/Sao_Paulo.'),
  })
  .refine(({ from, to }) => from !== to, {
    path: ['to'],
    message: 'quiet hours that end when they begin never end; write another time',
  });
export type QuietHours = z.infer<typeof QuietHours>;

/** What all channels have. */
const COMMON = {
  severity: z.enum(['info', 'warning', 'critical']).default('info').meta({
    description:
      'Least severity. critical: work stands still. warning: something may be lost or double. info: also decisions that are due. Default: info.',
  }),
  after: durationWithin('0s', '1d').default('5m').meta({
    description: 'A need is notified once it has lasted this long, 0s to 1d. Default: 5m.',
  }),
  group: durationWithin('0s', '1h').default('1m').meta({
    description:
      'Wait for further needs, 0s to 1h, after the first one that is due. All of them make one notice. Default: 1m.',
  }),
  quiet: QuietHours.optional().meta({
    description:
      'Hours without notices. After them, one notice has what still stands. For critical needs, add a channel without quiet hours. Default: none.',
  }),
};

const isReference = (text: string) => SecretRef.safeParse(text).success;

const Target = z
  .string()
  .superRefine((text, context) => {
    if (isReference(text)) return;
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !/^https?:$/.test(url.protocol))
      refuse('write https://host/path, or a reference to the URL: env:NAME, file:path or command:program');
    else if (!isPlainUrl(text))
      refuse(
        'holds credentials, a query or a fragment, which may be secret; write a reference to the URL, such as env:NAME',
      );
  })
  .meta({
    description:
      'URL that receives each notice as a POST request. Slack and Teams put a secret into it: write a reference instead, env:NAME, file:path relative to this file, or command:program argument.',
  });

const WebhookChannel = z.strictObject({
  type: z.literal('webhook').meta({ description: 'Posts notices to a URL, as JSON.' }),
  url: Target,
  format: z.enum(['json', 'slack', 'teams']).default('json').meta({
    description:
      'json: the notice as docs/how-to/notices.md describes it. slack: an incoming webhook of Slack. teams: a workflow of Microsoft Teams. Default: json.',
  }),
  token: SecretRef.optional().meta({
    description:
      'Reference to a token, which goes into the header Authorization after "Bearer ". Default: none.',
  }),
  insecure: insecure('unencrypted http:// in url, to other machines'),
  ...COMMON,
});
export type WebhookChannel = z.infer<typeof WebhookChannel>;

const Address = z.email('write an e-mail address, for example ops@example.com');

const EmailChannel = z.strictObject({
  type: z.literal('email').meta({ description: 'Sends notices by e-mail, over SMTP.' }),
  server: z
    .url({ protocol: /^smtps?$/, error: 'write smtp://host:587 or smtps://host:465' })
    .refine(
      isPlainUrl,
      'holds credentials or a query; write smtp://host:587 alone, with `user` and `password`',
    )
    .meta({
      description:
        'SMTP server. smtps://host:465 begins with TLS. smtp://host:587 requires STARTTLS, except on this machine.',
    }),
  user: z.string().min(1).optional().meta({ description: 'User of the SMTP server. Default: none.' }),
  password: SecretRef.optional().meta({
    description: 'Reference to the password of `user`. Required with `user`. Default: none.',
  }),
  from: Address.meta({ description: 'Address of the sender.' }),
  to: z.array(Address).min(1).max(50).meta({ description: 'Addresses of those who are notified, 1 to 50.' }),
  insecure: insecure('SMTP without TLS to other machines'),
  ...COMMON,
});
export type EmailChannel = z.infer<typeof EmailChannel>;

const CommandChannel = z.strictObject({
  type: z.literal('command').meta({ description: 'Runs a program, which reads the notice from its stdin.' }),
  command: z.array(z.string().min(1)).min(1).max(50).meta({
    description:
      'Program and its arguments, for example [/usr/local/bin/page, --team, crm]. No shell reads them. It starts in the folder of this file, and reads the notice as JSON from stdin.',
  }),
  timeout: durationWithin('1s', '30s').default('10s').meta({
    description: 'Time after which the program is killed, 1s to 30s. Default: 10s.',
  }),
  ...COMMON,
});
export type CommandChannel = z.infer<typeof CommandChannel>;

export const NoticeChannel = z
  .discriminatedUnion('type', [WebhookChannel, EmailChannel, CommandChannel])
  .superRefine((channel, context) => {
    if (channel.type !== 'email' || (channel.user === undefined) === (channel.password === undefined)) return;
    const missing = channel.user === undefined ? 'user' : 'password';
    context.addIssue({
      code: 'custom',
      path: [missing],
      message: '`user` and `password` belong together; write both or neither',
    });
  });
export type NoticeChannel = z.infer<typeof NoticeChannel>;

/** References to the secrets that the channel reads when it sends, by key. */
export function secretsOfChannel(channel: NoticeChannel): ReadonlyMap<string, string> {
  const refs = {
    url: channel.type === 'webhook' && isReference(channel.url) ? channel.url : undefined,
    token: channel.type === 'webhook' ? channel.token : undefined,
    password: channel.type === 'email' ? channel.password : undefined,
  };
  return new Map(Object.entries(refs).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** What kind of channel it is and which host it calls. A path may be secret. */
export function aboutChannel(channel: NoticeChannel): readonly string[] {
  switch (channel.type) {
    case 'webhook':
      return [
        `webhook as ${channel.format}`,
        ...(isReference(channel.url) ? [] : [new URL(channel.url).host]),
      ];
    case 'email':
      return [`email over ${new URL(channel.server).host}`];
    case 'command':
      return ['command'];
  }
}
