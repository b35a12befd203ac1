// Codes of sinks and pollers.
import type { CodeArea } from './area.ts';

export const CONVERSATIONS_CODES: readonly CodeArea[] = [
  {
    title: 'Sinks',
    about:
      "Why an event waits in the outbox or is dead, in `sluice outbox`. Kafka and PostgreSQL sinks also show the codes of the broker and the SQLSTATE of the server, file sinks the system's (`ENOSPC`, `EACCES`).",
    codes: [
      [
        'HTTP_4XX',
        'The receiver answered with this status, for example `HTTP_422`.',
        'See [sinks](sinks.md#http).',
      ],
      [
        'GONE',
        '410: the receiver says that the URL is gone. The sink waits.',
        'Correct `url`, or remove the sink.',
      ],
      ['TIMEOUT', 'No response in time. The event may have arrived.', 'Check the receiver.'],
      ['TLS', 'The connection is not secure.', 'Check the certificate, or set `NODE_EXTRA_CA_CERTS`.'],
      [
        'TLS_FILE',
        'A certificate or key that `tls` names cannot be read.',
        'Check the path and its permissions.',
      ],
      ['NOT_HTTP', 'The other side does not speak HTTP.', 'Check `url`.'],
      ['BAD_SECRET', 'A signing key cannot be used.', 'Write `whsec_` and 24 to 64 bytes in base64.'],
      [
        'MESSAGE_TOO_LARGE',
        'The event is larger than `max.message.bytes` of the topic. The event is dead.',
        'Raise the limit, then retry.',
      ],
      [
        'RECORD_LIST_TOO_LARGE',
        'The event is larger than the broker accepts. The event is dead.',
        'Raise the limit, then retry.',
      ],
      ['UNKNOWN_TOPIC_OR_PARTITION', 'The topic does not exist. The sink waits.', 'Create the topic.'],
      ['SASL_AUTHENTICATION_FAILED', 'The brokers refuse the login. The sink waits.', 'Check `sasl`.'],
      ['COMPRESSION', 'A record has a compression that Sluice cannot read.', 'Use gzip, or none.'],
      ['UNKNOWN', 'Kafka reports an unknown error.', 'See the message.'],
      ['FILE', 'The file cannot be written.', 'See the message.'],
      ['NOT_A_FILE', 'The path of a file sink is not a plain file.', 'Correct `path`.'],
      [
        'OPEN_TO_ALL',
        'Every user of the machine can read the file, and another user owns it.',
        'Run `chmod o-rwx`.',
      ],
      ['GIVEN_UP', 'A send was interrupted. Sluice sends the event again.', 'None.'],
      ['CLOSED', 'The sink was being closed. Sluice sends the event again.', 'None.'],
      ['SINK_FAULT', 'The sink failed unexpectedly.', 'See the log.'],
      ['NO_SINK', 'The configuration no longer has the sink.', 'Add it again, or discard its events.'],
    ],
  },
  {
    title: 'Pollers',
    about: 'Why a poller is blocked, and where messages may be missing (`sluice poll gaps`).',
    codes: [
      ['BLOCKED', 'The service refuses the poller. It retries.', 'See the reason in `poll status`.'],
      ['PAUSED', 'A person paused the poller.', '`sluice poll resume`.'],
      [
        'LIST_GAP',
        'A stretch of the list of conversations could not be read.',
        'See the period in `poll gaps`.',
      ],
      ['LIST_ENDLESS', 'The list of conversations does not end.', 'See the reason.'],
      [
        'LISTING_UNREADABLE',
        'A conversation in the list cannot be read.',
        'Override the assumption that the message names.',
      ],
      ['MESSAGES_GAP', 'Messages were removed while they were read.', 'Check the conversation.'],
      ['MESSAGES_ENDLESS', 'The pages of messages do not end.', 'Check the conversation.'],
      ['MESSAGES_MISSING', 'The list shows a newer message than the history.', 'Check the conversation.'],
      [
        'UNREADABLE',
        'A message or a conversation cannot be read.',
        'Override the assumption that the message names.',
      ],
      [
        'UNDATED',
        'Messages have no time, so the newest page was published, whatever its age.',
        'Override `message.timeField`.',
      ],
      ['CONVERSATION_GONE', 'The service no longer has the conversation.', 'None.'],
    ],
  },
];
