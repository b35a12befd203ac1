// Examples of commands, for their help and for the reference page of the command line.
import type { Command } from 'commander';

/** By the words of the command after `sluice`. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  init: [
    'sluice init --dir my-crm',
    'sluice init --csv export.csv',
    'sluice init --csv contacts.csv --preset hubspot',
  ],
  'config check': ['sluice config check', 'sluice config check --config staging.yaml --json'],
  'config reload': ['sluice config reload', 'sluice config reload --json'],
  'config schema': ['sluice config schema > sluice.schema.json'],
  status: ['sluice status', 'sluice status --json'],
  'notices test': ['sluice notices test', 'sluice notices test ops --json'],
  'calls list': ['sluice calls list --failed --since 2h', 'sluice calls list --request req_8f2c'],
  'calls spending': ['sluice calls spending', 'sluice calls spending --by-run --since 7d'],
  'ledger retention': ['sluice ledger retention', 'sluice ledger retention --json'],
  'ledger migrate': ['sluice ledger migrate', 'sluice ledger migrate --json'],
  'ledger backup': ['sluice ledger backup', 'sluice ledger backup --json'],
  'ledger restore': ['sluice ledger restore .sluice/backups/2026-11-23T10-00-00-000Z'],
  'ledger restored': ['sluice ledger restored --to 2026-11-23T10:00:00Z'],
  'ledger end-restore': ['sluice ledger end-restore', 'sluice ledger end-restore --json'],
  size: ['sluice size', 'sluice size --tokens 500 --calls-per-minute 120 --json'],
  review: ['sluice review leads', 'sluice review --all'],
  failures: ['sluice failures', 'sluice failures --since 12h'],
  'user add': ['sluice user add ana --role operator', 'sluice user add bia --role approver --unix-user bia'],
  'user list': ['sluice user list'],
  'user set-role': ['sluice user set-role ana --role approver'],
  'user disable': ['sluice user disable ana'],
  'user enable': ['sluice user enable ana'],
  'user reset-second-factor': [
    'sluice user reset-second-factor ana --verified "seen in person, with ID card"',
  ],
  'user link': ['sluice user link ana'],
  login: ['sluice login --server https://sluice.example.com --user ana'],
  logout: ['sluice logout --server https://sluice.example.com'],
  completion: [
    'sluice completion fish | source',
    'eval "$(sluice completion bash)"',
    'eval "$(sluice completion zsh)"',
  ],
  console: ['sluice console'],
  'account list': ['sluice account list'],
  'account show': ['sluice account show acme', 'sluice account show acme --json'],
  'sync run': ['sluice sync run leads', 'sluice sync run leads --json'],
  'sync plan': ['sluice sync plan leads', 'sluice sync plan leads --csv problems.csv'],
  'sync list': ['sluice sync list'],
  'sync runs': ['sluice sync runs leads', 'sluice sync runs leads --limit 5 --json'],
  'sync status': ['sluice sync status leads'],
  'sync rows': [
    'sluice sync rows leads',
    'sluice sync rows leads --failed --csv failed.csv',
    'sluice sync rows leads --row 17 --unmasked',
  ],
  'sync retry': ['sluice sync retry leads', 'sluice sync retry leads --code ERR_NUMBER_NOT_ON_WHATSAPP'],
  'sync resolve': ["sluice sync resolve leads --row 17 --reason 'the card is in the panel'"],
  'sync pause': ["sluice sync pause leads --reason 'CRM maintenance'"],
  'sync resume': ['sluice sync resume leads'],
  'sync cancel': ["sluice sync cancel leads --reason 'wrong export'"],
  'sync schedule apply': ['sluice sync schedule apply'],
  'sync schedule list': ['sluice sync schedule list'],
  'sync schedule backfill': [
    'sluice sync schedule backfill leads --from 2026-11-20T06:00:00-03:00 --to 2026-11-21T06:00:00-03:00',
  ],
  'sync schedule pause': ["sluice sync schedule pause leads --reason 'CRM maintenance'"],
  'sync schedule resume': ['sluice sync schedule resume leads'],
  'sync schedule trigger': ['sluice sync schedule trigger leads'],
  'campaign plan': ['sluice campaign plan winback', 'sluice campaign plan winback --sample 0 --json'],
  'campaign approve': ['sluice campaign approve winback'],
  'campaign start': ['sluice campaign start winback --watch', 'sluice campaign start winback --yes'],
  'campaign list': ['sluice campaign list', 'sluice campaign list winback --limit 5 --json'],
  'campaign status': ['sluice campaign status winback'],
  'campaign pause': ["sluice campaign pause winback --reason 'too many calls'"],
  'campaign resume': ['sluice campaign resume winback'],
  'campaign cancel': ["sluice campaign cancel winback --reason 'wrong audience'"],
  'campaign skip-wave': ['sluice campaign skip-wave winback'],
  'campaign audit': ['sluice campaign audit winback'],
  'campaign rate': ['sluice campaign rate winback 30', 'sluice campaign rate winback none'],
  'campaign retry': ['sluice campaign retry winback --code ERR_NO_CONNECTION_AVAILABLE'],
  'campaign resolve': ['sluice campaign resolve winback --all --as triggered'],
  'campaign export': ['sluice campaign export winback --members --output members.csv'],
  'campaign schedule apply': ['sluice campaign schedule apply'],
  'campaign schedule list': ['sluice campaign schedule list'],
  'campaign schedule pause': ['sluice campaign schedule pause winback'],
  'campaign schedule resume': ['sluice campaign schedule resume winback'],
  'campaign schedule trigger': ['sluice campaign schedule trigger winback'],
  'campaign schedule backfill': [
    'sluice campaign schedule backfill winback --from 2026-11-20T06:00:00-03:00 --to 2026-11-21T06:00:00-03:00',
  ],
  dev: ['sluice dev', 'sluice dev --temporal-ui'],
  worker: ['sluice worker'],
  ingress: ['sluice ingress'],
  'ingress openapi': ['sluice ingress openapi > openapi.json'],
  'events list': ['sluice events list', 'sluice events list --failed --route site-leads'],
  'events show': ['sluice events show wAJ8kq0sT2u1'],
  'events replay': ['sluice events replay wAJ8kq0sT2u1 --request request.json --dry-run'],
  'events resolve': ["sluice events resolve wAJ8kq0sT2u1 --reason 'the message is in the conversation'"],
  'events retry': [
    'sluice events retry wAJ8kq0sT2u1',
    'sluice events retry --failed --code UNKNOWN_TAG --yes',
  ],
  'message send': [
    "sluice message send --account acme --to '+55 11 98765-4321' --text-file message.txt",
    "sluice message send --account acme --to '11 98765-4321' --country BR --template welcome --language pt_BR --param Bia",
  ],
  'message reply': [
    'sluice message reply --account acme --conversation 4711 --text-file answer.txt --file offer.pdf --follow',
  ],
  'message status': ['sluice message status wAJ8kq0sT2u1'],
  'poll start': ['sluice poll start', 'sluice poll start inbox'],
  'poll status': ['sluice poll status'],
  'poll pause': ['sluice poll pause inbox'],
  'poll resume': ['sluice poll resume inbox'],
  'poll stop': ['sluice poll stop inbox'],
  'poll now': ['sluice poll now inbox'],
  'poll gaps': ['sluice poll gaps'],
  find: [
    "sluice find '+55 11 98765-4321'",
    'sluice find bia@example.com',
    'sluice find --account acme p12 --json',
  ],
  'optout list': [
    'sluice optout list',
    'sluice optout list --account acme --source import --since 7d --json',
  ],
  'optout add': ["sluice optout add '+55 11 98765-4321' --account acme --evidence 'said so on the phone'"],
  'optout withdraw': [
    "sluice optout withdraw '+55 11 98765-4321' --account acme --reason 'asked for it in the shop'",
  ],
  'optout import': [
    'sluice optout import list.csv --account acme --number phone --time date --country BR --offset -03:00',
    'sluice optout import list.csv --account acme --number phone --time date --country BR --yes',
  ],
  'optout export': ['sluice optout export --account acme --output opt-outs.jsonl'],
  'person export': [
    "sluice person export '+55 11 98765-4321' --output person.json",
    'sluice person export --account acme p12 --page en --output person.html',
  ],
  'person erase': [
    "sluice person erase --account acme p12 --reason 'request of 2026-11-23'",
    'sluice person erase bia@example.com --yes --json',
  ],
  'outbox status': ['sluice outbox status'],
  'outbox list': ['sluice outbox list --dead --sink helpdesk'],
  'outbox show': ['sluice outbox show 4711'],
  'outbox discard': ['sluice outbox discard 4711 4712 --yes'],
  'outbox retry': ['sluice outbox retry --sink helpdesk --yes'],
  'refused list': ['sluice refused list --route site-leads --since 2h'],
  'refused show': ['sluice refused show rr_0123456789abcdefghijkl'],
  'refused replay': [
    'sluice refused replay rr_0123456789abcdefghijkl --body body.json --dry-run',
    'sluice refused replay --route site-leads --yes',
  ],
  'refused discard': ["sluice refused discard rr_0123456789abcdefghijkl --reason 'test data' --yes"],
  'dlq list': ['sluice dlq list --code SCHEMA --since 2h'],
  'dlq show': ['sluice dlq show 0-17'],
  'dlq replay': ['sluice dlq replay 0-17 0-18 --dry-run', 'sluice dlq replay --code SCHEMA --yes'],
  'dlq discard': ["sluice dlq discard 0-19 --reason 'test data' --yes"],
  asyncapi: ['sluice asyncapi > asyncapi.json'],
  doctor: ['sluice doctor', 'sluice doctor --account acme'],
  sandbox: ['sluice sandbox --port 4010 --fixture sandbox.yaml'],
  demo: ['sluice demo --once', 'sluice demo --rate 120'],
};

/** Number of examples in the help of a group. */
const IN_GROUP = 4;

/** Adds examples to the help of each command below `parent`. A group shows those of its commands. */
export function addExamples(parent: Command, words: readonly string[] = []): void {
  for (const command of parent.commands) {
    const path = [...words, command.name()];
    const lines = EXAMPLES[path.join(' ')] ?? examplesBelow(path.join(' '));
    if (lines.length > 0)
      command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
    addExamples(command, path);
  }
}

function examplesBelow(group: string): readonly string[] {
  return Object.entries(EXAMPLES)
    .filter(([path]) => path.startsWith(`${group} `))
    .slice(0, IN_GROUP)
    .flatMap(([, lines]) => lines.slice(0, 1));
}
