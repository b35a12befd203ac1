// What others can observe of a running project: Temporal's histories, processes, pages of numbers, a browser.
import { readdir, readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { Browser } from 'playwright-core';
import { closingCalls } from '../../../src/temporal/closing-calls.ts';
import { logIn, openPage } from '../../support/console/pages.ts';
import { CANARY } from './configure.ts';

/** Every execution with its attributes, its memo and its raw history, as Temporal stores them, by workflow id. */
export async function readHistories(address: string): Promise<ReadonlyMap<string, string>> {
  const connection = await Connection.connect({ address, interceptors: closingCalls() });
  try {
    const { workflowService } = new Client({ connection });
    const found = new Map<string, string>();
    let nextPageToken: Uint8Array = new Uint8Array();
    do {
      const page = await workflowService.listWorkflowExecutions({ namespace: 'default', nextPageToken });
      for (const info of page.executions) {
        const { execution } = info;
        const about = proto.temporal.api.workflow.v1.WorkflowExecutionInfo.encode(info).finish();
        const parts = [Buffer.from(about).toString('latin1')];
        let nextEvents: Uint8Array = new Uint8Array();
        do {
          const asked = { namespace: 'default', execution: execution ?? null, nextPageToken: nextEvents };
          const { history, nextPageToken: more } = await workflowService.getWorkflowExecutionHistory(asked);
          const bytes = proto.temporal.api.history.v1.History.encode(history ?? {}).finish();
          parts.push(Buffer.from(bytes).toString('latin1'));
          nextEvents = more;
        } while (nextEvents.length > 0);
        found.set(`${execution?.workflowId} ${execution?.runId}`, parts.join('\n'));
      }
      nextPageToken = page.nextPageToken;
    } while (nextPageToken.length > 0);
    return found;
  } finally {
    await connection.close();
  }
}

export interface SeenProcess {
  readonly pid: number;
  readonly argv: string;
  readonly environment: string;
}

/** The processes and all their descendants, as the kernel shows them. */
export async function processTree(roots: readonly number[]): Promise<SeenProcess[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => null);
    // The name of the program is in parentheses and may have blanks.
    if (line !== null) parents.set(Number(name), Number(line.slice(line.lastIndexOf(')') + 4).split(' ')[0]));
  }
  const tree = new Set(roots);
  for (let before = 0; before < tree.size; ) {
    before = tree.size;
    for (const [pid, parent] of parents) if (tree.has(parent)) tree.add(pid);
  }
  const seen: SeenProcess[] = [];
  for (const pid of tree) {
    const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '');
    seen.push({ pid, argv: await read('cmdline'), environment: await read('environ') });
  }
  return seen;
}

export interface SeenInBrowser {
  /** Addresses of all requests and of all pages in the history. */
  readonly addresses: readonly string[];
  /** Storage of the origin, cookies, and the names of databases and caches. */
  readonly stored: string;
  /** Text of the page while the person was shown in plain text. */
  readonly shown: string;
}

const STORED = `(async () => JSON.stringify([
  Object.entries(localStorage),
  Object.entries(sessionStorage),
  document.cookie,
  await indexedDB.databases(),
  await caches.keys(),
  history.state,
  document.title,
  performance.getEntries().map(({ name }) => name),
]))()`;

/** Searches the person in the console, opens them, shows them in plain text, and reads what the browser keeps. */
export async function lookUp(
  browser: Browser,
  url: string,
  login: { readonly name: string; readonly password: string },
  query: string,
): Promise<SeenInBrowser> {
  const { page, context } = await openPage(browser, url);
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('framenavigated', (frame) => addresses.push(frame.url()));
  try {
    await page.goto(`${url}/people`);
    await logIn(page, login.name, login.password);
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    const field = page.getByRole('searchbox').last();
    await field.fill(query);
    await field.press('Enter');
    await page.locator('a[href*="/people/acme/"]').first().click();
    // The list of results has a button of the same name.
    await page.getByText('Id in Sluice').waitFor();
    await page.getByRole('button', { name: 'Show in plain text' }).click();
    // Masked until then, as `q•••@example.net`.
    await page.getByText(CANARY.email).first().waitFor();
    const shown = await page.locator('body').innerText();
    const stored = await page.evaluate<string>(STORED);
    return { addresses, stored: stored + JSON.stringify(await context.cookies()), shown };
  } finally {
    await context.close();
  }
}
