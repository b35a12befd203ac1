// docs/reference/cli.md: every command with its arguments, options and examples, out of the program that parses them.
import type { Argument, Command, Option } from 'commander';
import { EXAMPLES } from '../../src/cli/examples.ts';
import { createProgram } from '../../src/cli/program.ts';
import { code, fence, GENERATED, item, page, plain, wrap } from './markdown.ts';

const INTRO = [
  '`npx sluice COMMAND` runs a command, in the folder of the clone or below it. `--help` after any command shows its options.',
  'Results go to stdout and logs to stderr. Logs are JSON unless stderr is a terminal. Most commands take `--json`.',
  'With `--json`, an error is one JSON object, the last line of stderr: `{"error": {"code", "message", "exit"}}`; an invalid configuration adds `problems`. `code` is an [error code](exit-codes.md#error-codes), or `USAGE`, `NOT_FOUND`, `AUTH`, `CONFLICT`, `UNAVAILABLE` or `ERROR`, as the exit code says.',
  'Every command ends with one of the [exit codes](exit-codes.md).',
].join(' ');

export const VARIABLES = [
  '`SLUICE_CONFIG`: path of the configuration, instead of `--config`. Default: the nearest `sluice.yaml` in the folder or above it.',
  '`SLUICE_STATE`: state folder, instead of `--state`. Default: `.sluice` beside the configuration.',
  '`SLUICE_SERVER`: operator API of a Sluice elsewhere, instead of `--server`: a URL, or `unix:PATH`. Default: not set.',
  '`SLUICE_SERVER_TOKEN`: access token for that server, instead of the one that `sluice login` keeps. Default: not set.',
  '`SLUICE_LOG_LEVEL`: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. Default: `info` for `sluice ingress`, `warn` for `sluice dev` and `sluice worker`, otherwise `error`.',
  '`SLUICE_ADMIN_HOST`: address of [metrics and health](metrics.md) for this process, instead of `admin.host`. Use `0.0.0.0` in a container. Default: not set.',
  '`SLUICE_ADMIN_PORT`: port of [metrics and health](metrics.md) for this process, instead of `admin.port`; 0 takes a free one. Default: not set.',
  '`TEMPORAL_ADDRESS`: host:port of your Temporal server. Default: Sluice starts one.',
  '`TEMPORAL_NAMESPACE`: namespace on that server. Default: `default`.',
  '`TEMPORAL_API_KEY`: API key for that server. It turns TLS on. Default: not set.',
  '`TEMPORAL_TLS`: `true` turns TLS on. `TEMPORAL_TLS_SERVER_CA_CERT_PATH`, `TEMPORAL_TLS_SERVER_NAME`, `TEMPORAL_TLS_CLIENT_CERT_PATH` and `TEMPORAL_TLS_CLIENT_KEY_PATH` name certificates, and turn it on too. Default: off.',
  '`TEMPORAL_CONFIG_FILE`, `TEMPORAL_PROFILE`: file and profile with these settings. Without both, Sluice reads no profile file. Default: not set.',
  '`TEMPORAL_INSECURE`: `true` allows a `TEMPORAL_ADDRESS` on another machine without TLS and without an API key. Set it in a private network only. Default: not set.',
  '`TEMPORAL_CLI_PATH`: path of the Temporal CLI for the embedded server. Default: the PATH, the cache in `~/.cache/sluice`, otherwise a download with a pinned hash.',
  '`SLUICE_DEPLOYMENT`, `SLUICE_BUILD_ID`: deployment and build id of `sluice worker`, for [upgrades with two versions of the workflow code](../how-to/upgrade.md). Set both or none. Default: not set; workers continue any run.',
  '`DATABASE_URL`: `postgres://…` of the ledger that several processes share; another machine needs `sslmode`. Default: a database in the state folder.',
  '`OTEL_EXPORTER_OTLP_ENDPOINT`: address of an OpenTelemetry receiver, over HTTP with protobuf. It turns [traces](../how-to/trace-requests.md) on, as `OTEL_TRACES_EXPORTER=otlp` does. The other standard `OTEL_` variables apply. Default: not set.',
  '`NODE_EXTRA_CA_CERTS`: file with certificates of private authorities, for every TLS connection. Default: not set.',
];

/** The page docs/reference/cli.md. */
export async function renderCli(): Promise<string> {
  const program = await createProgram({ version: '', json: false }, {});
  const common = commonOptions(program);
  const groups = program.commands
    .toSorted(byName)
    .flatMap((command) => renderCommand(command, ['sluice'], common));
  return page(
    '# Command line',
    GENERATED,
    wrap(INTRO),
    '## Environment variables',
    VARIABLES.map((text) => item(text)).join('\n'),
    '## Common options',
    'Many commands take these options. The sections of the commands only name them.',
    [...common.values()].map(describeOption).join('\n'),
    ...groups,
  );
}

/** An option that so many commands describe in the same words is described once. */
const COMMON_FROM = 15;

/** The options that many commands share, by flags and description; one per name, the rest is described in place. */
function commonOptions(program: Command): ReadonlyMap<string, Option> {
  const all = visibleOptions(program).map((option) => [keyOf(option), option] as const);
  const uses = new Map<string, number>();
  for (const [key] of all) uses.set(key, (uses.get(key) ?? 0) + 1);
  const shared = new Map<string, readonly [string, Option]>();
  for (const entry of all) {
    const [key, { flags }] = entry;
    if ((uses.get(key) ?? 0) >= COMMON_FROM && !shared.has(flags)) shared.set(flags, entry);
  }
  return new Map(shared.values());
}

function visibleOptions(command: Command): Option[] {
  return [...command.options.filter(({ hidden }) => !hidden), ...command.commands.flatMap(visibleOptions)];
}

function keyOf({ flags, description, defaultValue }: Option): string {
  return JSON.stringify([flags, description, defaultValue]);
}

function renderCommand(
  command: Command,
  parents: readonly string[],
  common: ReadonlyMap<string, Option>,
): string[] {
  const path = [...parents, command.name()];
  const heading = `${'#'.repeat(Math.min(path.length, 4))} ${path.join(' ')}`;
  const own = [heading, wrap(plain(sentence(command.description())))];
  const isGroup = command.commands.length > 0;
  const options = command.options.filter(({ hidden }) => !hidden);
  if (!isGroup || options.length > 0) {
    const examples = EXAMPLES[path.slice(1).join(' ')] ?? [];
    const shared = options.filter((option) => common.has(keyOf(option)));
    const special = options.filter((option) => !common.has(keyOf(option)));
    const described = [...command.registeredArguments.map(describeArgument), ...special.map(describeOption)];
    own.push(
      fence('text', `${path.join(' ')} ${isGroup ? '[options]' : command.usage()}`),
      ...(described.length === 0 ? [] : [described.join('\n')]),
      ...(shared.length === 0 ? [] : [wrap(`Common options: ${shared.map(nameOf).join(', ')}.`)]),
      ...(examples.length === 0 ? [] : [fence('text', examples.join('\n'))]),
    );
  }
  return [
    ...own,
    ...command.commands.toSorted(byName).flatMap((inner) => renderCommand(inner, path, common)),
  ];
}

function nameOf({ long, flags }: Option): string {
  return code(long ?? flags);
}

function describeArgument(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  const text = argument.required ? `<${name}>` : `[${name}]`;
  return item(`${code(text)}: ${plain(sentence(argument.description))}`);
}

function describeOption({ flags, description, mandatory, defaultValue, argChoices }: Option): string {
  const hasDefault =
    defaultValue !== undefined &&
    defaultValue !== false &&
    defaultValue !== '' &&
    !Array.isArray(defaultValue);
  const facts = [
    ...(mandatory ? ['Required.'] : []),
    ...(argChoices === undefined ? [] : [`One of ${argChoices.map(code).join(', ')}.`]),
    ...(hasDefault ? [`Default: ${code(String(defaultValue))}.`] : []),
  ];
  return item([`${code(flags)}: ${plain(sentence(description))}`, ...facts].join(' '));
}

/** A description as a sentence: in the help it begins small and has no full stop. */
function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) || begun === '' ? begun : `${begun}.`;
}

function byName(one: Command, other: Command): number {
  return one.name() < other.name() ? -1 : 1;
}
