// Codes of the operator API: refusals of logins, requests and commands.
import type { CodeArea } from './area.ts';

export const OPERATOR_CODES: readonly CodeArea[] = [
  {
    title: 'Logins and users',
    about:
      'The [operator API](operator-api.md) refuses a login, a session or a change of a user. Nothing has changed.',
    codes: [
      [
        'ADMIN_EXISTS',
        'There is an admin already, so the link for the first admin is void.',
        'Log in, or ask that admin for a link.',
      ],
      [
        'CSRF',
        'The header `X-CSRF-Token` is missing or belongs to another session.',
        'Reload the page. A program sends the token of `GET /session`.',
      ],
      [
        'FOREIGN_HOST',
        'The `Host` header is no name of this server, as with DNS rebinding.',
        'Open `operator.http.publicUrl`, or correct it. A proxy must keep the header.',
      ],
      ['FOREIGN_ORIGIN', 'A page of another site sent the request.', 'Open the console at its own address.'],
      ['LAST_ADMIN', 'The change would leave Sluice without an admin.', 'Make another user admin first.'],
      [
        'LINK_EXPIRED',
        'The one-time link is unknown, used or expired.',
        '`sluice console` or `sluice user link` prints a new one.',
      ],
      ['LOGIN_BUSY', 'Too many logins are in progress.', 'Try again in a few seconds.'],
      [
        'LOGIN_FAILED',
        'The name or the password is wrong, or the user is disabled.',
        'Try again, or ask an admin for a link.',
      ],
      [
        'LOGIN_LIMITED',
        'Several logins of this name or address failed.',
        'Wait for the time that the answer names.',
      ],
      [
        'LOGIN_NEEDS_HTTP',
        'A login was sent to the Unix socket.',
        'On the socket, you are your Unix user. Log in over HTTP.',
      ],
      ['LOGIN_REQUIRED', 'Nobody has logged in, or the session has ended.', 'Log in.'],
      ['NAME_REQUIRED', 'The link for the first admin was used without a name.', 'Choose a name.'],
      [
        'HOST_DIFFERS',
        'The first line of the request is a whole address, and its host is another one than that of the Host header.',
        'Send the path alone, or the same host twice.',
      ],
      [
        'HOST_INVALID',
        'The Host header has something else than a name or an IP address and a port: a user, a path, a space, a dot at the end, the zone of an IPv6 address.',
        'Make the client or the proxy send the host of the address alone.',
      ],
      ['HOST_TWICE', 'The request has more than one Host header.', 'Make the client or the proxy send one.'],
      ['NAME_TAKEN', 'A user has this name. Names are never used twice.', 'Choose another name.'],
      [
        'NO_USER',
        'You are a Unix user without a user of Sluice.',
        'Add one with `sluice user add --unix-user`.',
      ],
      [
        'OIDC_COOKIE',
        'The cookie of the login was changed in the browser, or the client secret was changed.',
        'Log in again.',
      ],
      ['OIDC_NOT_CONFIGURED', 'The configuration has no OpenID provider.', 'Set `operator.oidc`.'],
      [
        'OIDC_NO_ROLE',
        'None of your groups has a role.',
        'Ask for a group, or change `operator.oidc.roles`.',
      ],
      [
        'OIDC_REFUSED',
        'The answer of the OpenID provider is not valid.',
        'Log in again. The log has the cause.',
      ],
      ['OIDC_STATE', 'This browser began no login, or began it too long ago.', 'Log in again.'],
      ['OIDC_UNAVAILABLE', 'The OpenID provider does not answer.', 'Try again, or log in with a password.'],
      ['PASSWORD_WEAK', 'The password breaks a rule, which the message names.', 'Choose another one.'],
      [
        'PASSWORD_OF_PROVIDER',
        'The user logs in with the OpenID provider and has no password in Sluice.',
        'Change the password at the provider. For a script, add a user of its own with a password.',
      ],
      [
        'CODE_REQUIRED',
        'You have a second factor, and sent no code.',
        'Send a code of your authenticator app, or a recovery code, too.',
      ],
      [
        'CODE_WRONG',
        'The code of the second factor is wrong, used already, or more than 2 minutes off.',
        'Enter the next code that the app shows. Check the clock of the device, and that of the server.',
      ],
      [
        'CODE_TIME',
        'The code of the second factor is right at another time. A code counts only during its own 30 seconds.',
        'Enter the code that the app shows now. If it is this one, set the clock of the device, or of the server. After a code that was early, codes count again when its time has passed.',
      ],
      [
        'LOGIN_EXPIRED',
        'The password was right more than 5 minutes ago, or password or second factor have changed since.',
        'Log in again.',
      ],
      [
        'SECOND_FACTOR_OFF',
        'The user has no second factor, so there is nothing to turn off.',
        'Check the name of the user.',
      ],
      ['SECOND_FACTOR_ON', 'You have a second factor already.', 'Turn it off first, with a code.'],
      [
        'SECOND_FACTOR_OWN',
        'An admin may not reset their own second factor in a session.',
        'Turn it off with password and code. Without both, run `sluice user reset-second-factor` on the machine.',
      ],
      [
        'SECOND_FACTOR_REQUIRED',
        'The configuration requires a second factor (`operator.secondFactor`), and you have none.',
        'Log in to the console, which asks you to turn it on. Then make a new access token.',
      ],
      [
        'SECOND_FACTOR_SECRET',
        'The code is of no secret, or another page has made a newer one.',
        'Begin again, and scan the new QR code.',
      ],
      [
        'PASSWORD_WRONG',
        'The current password is wrong, so it is not changed.',
        'Try again, or ask an admin for a link.',
      ],
      ['ROLE_OF_PROVIDER', 'The OpenID provider decides the role of this user.', 'Change the groups there.'],
      ['ROLE_REQUIRED', 'Your role may not do this.', 'Ask somebody with the role that the message names.'],
      [
        'SESSION_REQUIRED',
        'An access token may not change users, passwords or tokens.',
        'Log in with a password.',
      ],
      ['TOKEN_INVALID', 'The access token is unknown, expired or revoked.', 'Log in again.'],
      [
        'UNIX_USER_NAME',
        'The name of the Unix user of Sluice cannot be read.',
        'Check the user database of the machine.',
      ],
      ['UNIX_USER_TAKEN', 'Another user is linked to this Unix user.', 'Remove that link first.'],
      ['UNKNOWN_SESSION', 'You have no such session, or it has ended.', 'List your sessions.'],
      ['UNKNOWN_TOKEN', 'You have no such access token.', 'List your tokens.'],
      ['UNKNOWN_USER', 'There is no such user.', '`sluice user list` shows the names.'],
      ['USER_DISABLED', 'The user is disabled.', 'Ask an admin: `sluice user enable`.'],
    ],
  },
  {
    title: 'Commands of operators',
    about:
      'The [operator API](operator-api.md) refuses a request, or a command cannot be carried out. The message names the way out.',
    codes: [
      [
        'LEDGER_SHARED',
        'The ledger is on PostgreSQL, and Sluice backs up only the embedded one.',
        'Use the tools of the server. See [back up and restore](../how-to/back-up-and-restore.md).',
      ],
      ['NOT_RESTORED', 'The ledger is not a restored one, or its restore has ended.', 'Nothing to do.'],
      [
        'ANSWER_LOST',
        'The connection broke before the answer came. The command may have taken effect.',
        'Check before you repeat it.',
      ],
      ['BODY', 'The body is not a JSON object in UTF-8.', 'Correct the request.'],
      ['BODY_TOO_LARGE', 'The body is larger than this endpoint accepts.', 'Send less at once.'],
      ['BUDGET', 'More urgent work took all calls of the account.', 'Try again later.'],
      ['CLUSTER', 'The configuration has several Kafka clusters.', 'Name one with `--cluster`.'],
      [
        'ENCRYPTION_KEY',
        'A key of `temporal.encryption` or `ledger.encryption` is not 32 bytes of base64 or hex.',
        'Make one with `openssl rand -base64 32`.',
      ],
      [
        'ENCRYPTION_KEY_UNKNOWN',
        'A payload of Temporal is encrypted with a key that is not configured.',
        'Add that key to `temporal.encryption.keys`, after the first one.',
      ],
      ['FAILED', 'An unexpected error inside Sluice.', 'The log of the process has the details.'],
      ['INPUT', 'A field is missing, unknown or not valid.', 'The message names the field and the rule.'],
      [
        'LEDGER_KEY_UNKNOWN',
        'The ledger has values that are encrypted with a key that is not configured.',
        'Add that key to `ledger.encryption.keys`, after the first one.',
      ],
      [
        'LEDGER_VALUE_DAMAGED',
        'An encrypted value in the ledger was changed or moved, or its key id stands for another key.',
        'Restore the row from a backup, or list the right key.',
      ],
      ['MESSAGE', 'The message cannot be sent as it is.', 'The message names the field and the fix.'],
      [
        'OPTED_OUT',
        'The recipient of a message opted out. Sluice accepted nothing.',
        'Set `toOptedOut` (`--to-opted-out`) if the message is transactional or answers what the person wrote.',
      ],
      ['NOT_CONNECTED', 'No Sluice answers at this address.', 'Start it, or correct `--server`.'],
      [
        'NO_ENCRYPTION',
        'The codec server was asked, and the configuration has no keys.',
        'Add a key to `temporal.encryption.keys`.',
      ],
      [
        'NO_KAFKA',
        'The configuration has no Kafka cluster, so there are no dead letters.',
        'Add one under `ingress.kafka`.',
      ],
      ['NO_POLLERS', 'The configuration has no pollers.', 'Add one under `pollers`.'],
      [
        'NO_RELOAD',
        'The process does not load its configuration again, or has no valid one.',
        'Correct the configuration, and restart the process.',
      ],
      [
        'NO_SUCH_CONVERSATION',
        'The ledger does not know this conversation.',
        'A poller imports it when it changes.',
      ],
      ['NO_SUCH_DEAD_LETTER', 'There is no such dead letter.', '`sluice dlq list` shows the ids.'],
      [
        'NO_SUCH_REQUEST',
        'There is no such refused request, or retention has deleted it.',
        '`sluice refused list` shows the ids.',
      ],
      [
        'EVENT_REPLACED',
        'A corrected event has taken the place of this one, or is about to.',
        'Open the event that the message names.',
      ],
      [
        'EVENT_NOT_FAILED',
        'Only an event that failed can be corrected.',
        '`sluice events list --failed` lists them. Retry an unknown one.',
      ],
      ['REQUEST_SETTLED', 'The refused request was replayed or discarded before.', 'Nothing is left to do.'],
      [
        'ONE_REQUEST',
        'A corrected body was given for several refused requests.',
        'Name exactly one request.',
      ],
      [
        'NO_SUCH_EVENT',
        'There is no such event.',
        '`sluice events list` or `sluice outbox list` shows the ids.',
      ],
      [
        'NO_SUCH_REPLAY',
        'This process runs no such replay.',
        'What was not replayed is still in `sluice dlq list`.',
      ],
      ['METHOD_NOT_ALLOWED', 'The admin listener answers GET and HEAD only.', 'Use GET.'],
      ['STARTING', '`/readyz`: the process is starting.', 'Wait until it is ready.'],
      [
        'WORKER',
        '`/readyz`: the workers of the process have ended.',
        'Restart the process, and see its log.',
      ],
      ['NO_WORKER', 'No worker answered.', 'Start `sluice dev` or `sluice worker`, and see its log.'],
      [
        'WORK_RETRIES',
        'Work failed several times in a row. It retries by itself.',
        'If it goes on to fail, see the log of the worker, or run `sluice doctor`.',
      ],
      [
        'PAYLOAD_DAMAGED',
        'A payload of Temporal was changed after its encryption, or its key id stood for another key then.',
        'Give every key an id of its own, and check who can write to Temporal.',
      ],
      ['PERIOD', 'The period ends before it begins.', 'Write `since` before `until`.'],
      ['REPLAYS', 'Too many replays run at once.', 'Wait until one ends.'],
      ['REQUEST', 'The path or the headers of the request cannot be read.', 'Correct the request.'],
      ['RESOLVED', 'Somebody has replayed or discarded this dead letter.', 'Nothing to do.'],
      ['RUN_FAILED', 'A run ended with an error.', 'The reason says why.'],
      ['STOPPED', 'The poller was stopped before it could answer.', '`sluice poll start` continues.'],
      [
        'TOO_MUCH',
        'Too many dead letters to read at once.',
        'Narrow the filter with `--since`, `--code` or ids.',
      ],
      [
        'TOPIC_GONE',
        'A topic that a dead letter came from does not exist any more.',
        'Create it, or discard the dead letter.',
      ],
      [
        'YAML',
        'The campaign is not valid YAML, or breaks a rule of the configuration.',
        'The message names the place.',
      ],
      ['UNKNOWN_NAME', 'The configuration does not have this name.', 'The message suggests similar ones.'],
    ],
  },
  {
    title: 'Notices',
    about:
      'A channel of [notices](../how-to/notices.md) did not take a notice. Sluice tries again. `HTTP_` with a number is the status of a webhook.',
    codes: [
      [
        'COMMAND_FAILED',
        'The command ended with another exit code than 0, or by a signal.',
        'Run it by hand to see why.',
      ],
      ['COMMAND_MISSING', 'The command does not exist or cannot be run.', 'Correct its path.'],
      [
        'COMMAND_TIMEOUT',
        'The command ran longer than its `timeout` and was killed. The notice may have arrived.',
        'Let it end sooner, or raise `timeout`.',
      ],
      ['NO_CHANNEL', 'The configuration has no such channel of notices.', 'Check the name.'],
      [
        'SMTP_FAILED',
        'The SMTP server cannot be reached, or refused the e-mail.',
        '`sluice notices test` shows its answer.',
      ],
      ['SMTP_LOGIN', 'The SMTP server refused the login.', 'Correct `user` and `password`.'],
      [
        'SMTP_UNCLEAR',
        'The connection to the SMTP server ended before its answer. The e-mail may have arrived.',
        'Check the server, if it happens again.',
      ],
    ],
  },
];
