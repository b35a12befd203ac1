// A canary goes through every path. Before it is erased, only the ledger, the sinks and the user's own files have it, and
// only their owner may read them. After it, nothing of Sluice has it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPglite, openPostgres } from '../../../src/core/sql/database.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { launchChromium } from '../../support/tools/chromium.ts';
import { until } from '../../support/until.ts';
import { tablesWith } from '../../unit/operator/store/somebody.ts';
import { CANARY } from './configure.ts';
import { lookUp, processTree, readHistories } from './observed.ts';
import { LOGIN, sendEverywhere } from './paths.ts';
import { makeProject, type Project, TOKEN, type Variant } from './project.ts';
import { filesWith, openFiles, tracesIn, tracesOf } from './traces.ts';

/** Others share the machine. Alone on two cores, one variant takes about two minutes. */
const ALL_MS = 1_200_000;

const traces = tracesOf(CANARY);
/** Files of the user. Sluice reads them and writes none of them. */
const OF_USER = /^(?:data\/leads\.csv|given\/.*)$/;

const VARIANTS: readonly Variant[] = [
  { ledger: 'pglite', codec: false },
  { ledger: 'postgres', codec: true },
];

describe.each(VARIANTS)(
  'a canary that went through every path, $ledger, codec $codec',
  { timeout: ALL_MS },
  (variant) => {
    let base: string;
    let project: Project;
    /** What nobody else may see. */
    let secret: readonly string[];
    /** Tables that had the canary before it was erased. */
    let before: readonly string[];
    beforeAll(async () => {
      const dist = await buildOnce();
      // A short path: that of a Unix socket has at most 107 characters.
      base = await mkdtemp(join(tmpdir(), 'sluice-4-'));
      project = await makeProject(dist, base, variant);
      secret = [...traces, ...project.secrets];
      await sendEverywhere(project, async () => {
        before = await tables();
      });
    }, ALL_MS);
    afterAll(async () => {
      await project?.stop();
      await rm(base, { recursive: true, force: true });
    });

    const filesOfSluice = async (texts: readonly string[]) => [
      ...(await filesWith(project.folder, texts)).filter(({ file }) => !OF_USER.test(file)),
      ...(await filesWith(project.temporary, texts)),
    ];

    /** The embedded ledger has one process at a time: none of Sluice may run. */
    async function tables(): Promise<string[]> {
      const { databaseUrl, folder } = project;
      const db =
        databaseUrl === null
          ? await openPglite(join(folder, '.sluice/ledger'))
          : await openPostgres(databaseUrl, () => undefined);
      try {
        return await tablesWith(db, traces);
      } finally {
        await db.close();
      }
    }

    it('is where it belongs: in the service, in the receivers, and in the tables that are listed', async () => {
      const { contacts } = await project.sandbox.panel.account();
      expect(tracesIn(JSON.stringify(contacts), traces)).toEqual(expect.arrayContaining([CANARY.email]));
      expect(tracesIn(project.received.join('\n'), traces)).toEqual(expect.arrayContaining([CANARY.word]));
      for (const table of [
        'people',
        'run_records',
        'merged_rows',
        'row_identities',
        'row_problems',
        'conversations',
        'events',
        'outbox',
        'upload_parts',
        'campaign_members',
        'opt_outs',
      ])
        expect(before).toContain(table);
    });

    it('is in no log and no output that masks', () => {
      const log = project.log();
      expect(log).toContain('site-leads');
      expect(linesWith(log, secret)).toEqual([]);
      for (const { words, stdout, stderr } of project.outcomes)
        expect([words.slice(0, 2), linesWith(stdout + stderr, secret)]).toEqual([words.slice(0, 2), []]);
    });

    it('is in no metric', async () => {
      const metrics = await (await fetch(`http://${project.address('admin')}/metrics`)).text();
      expect(metrics).toContain('sluice_ledger_up');
      expect(linesWith(metrics, secret)).toEqual([]);
      for (const page of ['readyz', 'healthz'])
        expect(
          linesWith(await (await fetch(`http://${project.address('admin')}/${page}`)).text(), secret),
        ).toEqual([]);
    });

    it('is in no history, memo, attribute, workflow id and task queue', async () => {
      const histories = await readHistories(project.address('Temporal'));
      const all = [...histories].flat().join('\n');
      // The search finds what is there. Search attributes stay plain, as Temporal searches by them.
      expect(all).toContain('lead-intake');
      expect(all.includes('binary/encrypted')).toBe(variant.codec);
      expect(histories.size).toBeGreaterThan(5);
      const found = [...histories].map(([id, bytes]) => [id, tracesIn(id + bytes, secret)] as const);
      expect(found.filter(([, texts]) => texts.length > 0)).toEqual([]);
    });

    it('is in no command line, and no child process has a secret', async () => {
      const { pid } = project.dev();
      // The crash left Temporal behind, and the new process took it over.
      const temporal = Number(/Took over the Temporal server .*\(process (\d+)\)/.exec(project.log())?.[1]);
      const seen = await processTree([pid, temporal]);
      const own = seen.find((each) => each.pid === pid);
      const children = seen.filter((each) => each.pid !== pid);
      expect(own?.environment).toContain(TOKEN);
      expect(children.length).toBeGreaterThan(0);
      for (const { argv } of seen) expect(tracesIn(argv, secret)).toEqual([]);
      for (const { argv, environment } of children)
        expect([argv.slice(0, 200), tracesIn(environment, secret)]).toEqual([argv.slice(0, 200), []]);
    });

    it('is in no file but those of the ledger and of the sink, and those have no other readers', async () => {
      const files = await filesOfSluice(secret);
      const places = new Set(files.map(({ file }) => file.replace(/^\.sluice\/ledger\/.*/, 'ledger')));
      expect([...places].sort()).toEqual(
        variant.ledger === 'pglite' ? ['events.jsonl', 'ledger'] : ['events.jsonl'],
      );
      expect(files.filter(({ open }) => open)).toEqual([]);
      expect(files.flatMap(({ found }) => found).filter((text) => project.secrets.includes(text))).toEqual(
        [],
      );
      expect((await openFiles(project.folder)).filter((file) => file.startsWith('.sluice/'))).toEqual([]);
    });

    it('is shown by the console, and is in no address and no storage of the browser', async () => {
      const browser = await launchChromium();
      try {
        const seen = await lookUp(browser, project.dev().url, LOGIN, `+${CANARY.key}`);
        expect(tracesIn(seen.shown, traces)).toEqual(expect.arrayContaining([CANARY.email]));
        expect(seen.addresses.length).toBeGreaterThan(10);
        expect(linesWith(seen.addresses.join('\n'), secret)).toEqual([]);
        expect(tracesIn(seen.stored, secret)).toEqual([]);
      } finally {
        await browser.close();
      }
    });

    it('is exported, erased from everything but what the answer names, and not created again by an event', async () => {
      const exported = JSON.parse((await project.must(['person', 'export', `+${CANARY.key}`])).stdout) as {
        tables: Record<string, unknown[]>;
      };
      expect(tracesIn(JSON.stringify(exported), traces)).toEqual(expect.arrayContaining([CANARY.email]));
      // A message whose process died is read back after its settle time. Searches are limited, so erasures do not poll.
      await until('no event is open', async () => {
        const { stdout } = await project.must(['events', 'list', '--open', '--blocked', '--json']);
        return stdout === '' ? true : null;
      });
      const erase = ['person', 'erase', `+${CANARY.key}`, '--yes', '--json', '--reason', 'test'];
      const { stdout, stderr } = await until('nothing about the canary is in progress', async () => {
        const outcome = await project.run(erase);
        return outcome.exit === 5 ? null : outcome;
      });
      expect(linesWith(stdout + stderr, secret)).toEqual([]);
      const erased = JSON.parse(stdout) as { histories: { deleted: number }; elsewhere: { place: string }[] };
      expect(erased).toMatchObject({
        optOutKept: true,
        sinkFiles: [{ sink: 'archive', events: expect.any(Number) }],
        histories: { deleted: expect.any(Number), left: 0 },
      });
      expect(erased.histories.deleted).toBeGreaterThan(0);
      expect([...new Set(erased.elsewhere.map(({ place }) => place))].sort()).toEqual(
        [
          'backup',
          'cards',
          'contacts',
          'conversations',
          'httpSink',
          'sinkFile',
          'source',
          ...(project.kafka === null ? [] : ['deadLetters', 'kafkaSink', 'topic']),
          ...(variant.ledger === 'postgres' ? ['vacuum'] : []),
        ].sort(),
      );

      await project.stopDev();
      expect(await filesOfSluice(secret)).toEqual([]);
      expect(await tables()).toEqual([]);
      await project.startDev();

      const { sandbox } = project;
      const seen = (await sandbox.panel.requests()).length;
      const sent = await project.run([
        'message',
        'send',
        '--account',
        'acme',
        '--to',
        `+${CANARY.key}`,
        '--text',
        'x',
      ]);
      expect(sent.stdout + sent.stderr).toContain('PERSON_ERASED');
      const calls = (await sandbox.panel.requests()).slice(seen);
      expect(calls.filter(({ method }) => method !== 'GET')).toEqual([]);
      await project.stopDev();
      // That event came with the number. Its table no longer has it; the table's file may, until it is vacuumed.
      expect(await tables()).toEqual([]);
      await project.startDev();
      expect(linesWith(project.log(), secret)).toEqual([]);
    });

    it('is not messaged by a campaign when the next sync brings it again', async () => {
      const { sandbox } = project;
      const flows = (await sandbox.panel.flowRuns()).length;
      await project.must(['sync', 'run', 'leads']);
      const plan = await until('the campaign can be planned', async () => {
        const outcome = await project.run(['campaign', 'plan', 'win-back', '--sample', '0']);
        return outcome.exit === 5 ? null : outcome;
      });
      const { stdout } = await project.must(['find', `+${CANARY.key}`, '--json']);
      expect([stdout.includes('OPTED_OUT'), plan.stdout + plan.stderr]).toEqual([true, expect.any(String)]);
      // Nobody may be left, which is another exit code.
      await project.run(['campaign', 'start', 'win-back', '--yes']);
      expect((await sandbox.panel.flowRuns()).length).toBe(flows);
    });
  },
);

/** Lines with one of the texts, shortened, so that a failure shows where it is. */
function linesWith(text: string, texts: readonly string[]): string[] {
  return text
    .split('\n')
    .filter((line) => tracesIn(line, texts).length > 0)
    .map((line) => line.slice(0, 500));
}
