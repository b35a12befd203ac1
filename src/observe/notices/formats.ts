// A notice as text, and as Slack and Microsoft Teams take it.
import type { Notice, NoticeEntry } from './notice.ts';

/** Slack takes 3,000 characters a section, and Teams 28 kB a message. The console has the rest. */
const MOST = 20;

const MARK = { critical: '🔴', warning: '🟠', info: '🔵' } as const;
const TEST = 'This is a test. Notices of this channel arrive here.';

export function asText(notice: Notice): string {
  const line = ({ text, severity, since, url }: NoticeEntry) =>
    `- ${severity}: ${text}, since ${since}${url === null ? '' : `\n  ${url}`}`;
  const over = ({ text, since, until }: NoticeEntry) => `- ${text}, from ${since} to ${until}`;
  return [
    notice.title,
    ...(notice.test ? ['', TEST] : []),
    ...section('Needs a person', notice.began, line),
    ...section('Ended', notice.ended, over),
    ...(notice.url === null ? [] : ['', notice.url]),
    '',
  ].join('\n');
}

function section(
  title: string,
  entries: readonly NoticeEntry[],
  line: (entry: NoticeEntry) => string,
): string[] {
  if (entries.length === 0) return [];
  const more = entries.length - MOST;
  return ['', title, ...entries.slice(0, MOST).map(line), ...(more > 0 ? [`- and ${more} more`] : [])];
}

/** The message of an incoming webhook: `text` is what notifications show. */
export function asSlack(notice: Notice): object {
  const escape = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const link = (text: string, url: string | null) =>
    url === null ? escape(text) : `<${url.replaceAll('|', '%7C')}|${escape(text).replaceAll('|', '¦')}>`;
  const lines = [
    ...(notice.test ? [TEST] : []),
    ...section('', notice.began, ({ text, severity, url }) => `${MARK[severity]} ${link(text, url)}`).slice(
      2,
    ),
    ...section('', notice.ended, ({ text }) => `✅ ${escape(text)}`).slice(2),
  ];
  return {
    text: escape(notice.title),
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `*${link(notice.title, notice.url)}*` } },
      ...lines.map((text) => ({ type: 'section', text: { type: 'mrkdwn', text } })),
    ],
  };
}

/** An Adaptive Card in a message, as workflows of Teams take it. */
export function asTeams(notice: Notice): object {
  const block = (text: string, more: object = {}) => ({
    type: 'TextBlock',
    text: plain(text),
    wrap: true,
    ...more,
  });
  const linked = ({ text, severity, url }: NoticeEntry) =>
    url === null
      ? block(`${MARK[severity]} ${text}`)
      : {
          ...block(''),
          text: `${MARK[severity]} [${plain(text)}](${url.replace(/[()]/g, encodeURIComponent)})`,
        };
  const more = (count: number) => (count > MOST ? [block(`and ${count - MOST} more`)] : []);
  const body = [
    block(notice.title, { weight: 'Bolder', size: 'Medium' }),
    ...(notice.test ? [block(TEST)] : []),
    ...notice.began.slice(0, MOST).map(linked),
    ...more(notice.began.length),
    ...notice.ended.slice(0, MOST).map(({ text }) => block(`✅ ${text}`)),
    ...more(notice.ended.length),
  ];
  const actions =
    notice.url === null ? [] : [{ type: 'Action.OpenUrl', title: 'Open Sluice', url: notice.url }];
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body,
          actions,
        },
      },
    ],
  };
}

/** Teams reads Markdown: names with an underscore must not turn italic. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>~]/g, '\\$&');
}
