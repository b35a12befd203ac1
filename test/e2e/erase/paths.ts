// Sends the canary through every path, and waits until each has ended.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import pLimit from 'p-limit';
import { type ConnectedClient, httpClient } from '../../../src/operator/client/node.ts';
import { sendToKafka } from '../../support/console/day.ts';
import { until } from '../../support/until.ts';
import { CANARY } from './configure.ts';
import { type Project, TOKEN } from './project.ts';

const { key, name, email, word } = CANARY;
/** Of the console's first user. */
export const LOGIN = { name: 'root', password: 'a long password of the test' };

const LEAD = { Phone: `+${key}`, Name: name, 'E-mail': email };
/** No number that can be read. */
const BAD_LEAD = Object.assign({}, LEAD, { Phone: `${key}${key}` });
const SEND = ['message', 'send', '--account', 'acme', '--to', `+${key}`];

const ABOUT = `${key} ${name} ${email} ${word}`;
/** What somebody may say who quotes the request back, and the token with it. */
const QUOTE = `${ABOUT} ${TOKEN}`;

/** @param whileDown called once, while no process of Sluice runs */
export async function sendEverywhere(project: Project, whileDown: () => Promise<void>): Promise<void> {
  await project.must(['user', 'add', LOGIN.name, '--role', 'admin', '--password'], `${LOGIN.password}\n`);
  await project.must(['sync', 'run', 'leads']);
  await project.must(['sync', 'run', 'database']);
  await eventsOverHttp(project);
  await eventsOverKafka(project);
  const conversation = await conversations(project);
  await messages(project);
  await consoleOf(project, conversation);
  await campaign(project);
  await mistakes(project);
  await optOut(project);
  await crash(project, whileDown);
  await untilQuiet(project);
}

async function post(url: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body });
  await answer.text();
  return answer.status;
}

async function eventsOverHttp(project: Project): Promise<void> {
  const url = `http://${project.address('ingress')}/site-leads`;
  const lead = JSON.stringify(Object.assign({ Id: `lead of ${email}` }, LEAD));
  const statuses = [
    await post(url, lead),
    await post(url, JSON.stringify(Object.assign({ Id: `bad ${word}` }, BAD_LEAD))),
    await post(url, `{"Phone": "${key}", ${name}`),
    await post(`${url}/${key}?email=${email}`, lead),
    await post(`${url}?name=${encodeURIComponent(name)}`, lead),
  ];
  if (statuses.join() !== '202,422,400,404,202') throw new Error(`the ingress answered ${statuses.join()}`);
}

async function eventsOverKafka({ kafka, topics, run }: Project): Promise<void> {
  if (kafka === null) return;
  const records = [Object.assign({ Id: `bus ${word}` }, LEAD), BAD_LEAD];
  await sendToKafka(kafka.brokers, [topics.in, topics.dead, topics.out], records);
  const client = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING });
  const producer = client.producer();
  await producer.connect();
  await producer.send({
    topic: topics.in,
    messages: [{ key: email, value: `not JSON: ${name}`, headers: { about: QUOTE } }],
  });
  await producer.disconnect();
  const list = await until('both records are dead letters', async () => {
    const { stdout } = await run(['dlq', 'list', '--json']);
    const ids = stdout.match(/"id":"[^"]+"/g) ?? [];
    return ids.length >= 2 ? ids : null;
  });
  for (const id of list) await run(['dlq', 'show', id.slice(6, -1)]);
}

/** @returns the id of the conversation */
async function conversations(project: Project): Promise<number> {
  const { sandbox, folder, kafka } = project;
  // The poller meets answers that it cannot read, and that quote the person.
  for (const fault of [
    { kind: 'status', status: 500, body: { error: QUOTE, code: 'ERR_INTERNAL' } },
    { kind: 'status', status: 502, body: `<html>${QUOTE}</html>` },
    { kind: 'html' },
    { kind: 'truncate' },
  ])
    await sandbox.panel.fault(Object.assign({ method: 'GET', path: 'conversations', times: 1 }, fault));
  let conversation = 0;
  // These open the window in which the service takes free text.
  for (const body of [`I am ${name}, ${word}`, `write to ${email}`])
    ({ conversationId: conversation } = await sandbox.panel.inbound({ number: key, body, connectionId: 1 }));
  await until('both messages are in the file of the sink', async () => {
    const text = await readFile(join(folder, 'events.jsonl'), 'utf8').catch(() => '');
    return text.includes(`write to ${email}`);
  });
  await until('the receiver refused them', () => project.received.some((body) => body.includes(email)));
  await until('they are dead', async () =>
    (await project.run(['outbox', 'list', '--dead'])).stdout.includes('helpdesk'),
  );
  if (kafka === null) process.stderr.write('canary: no broker, so nothing goes through Kafka\n');
  return conversation;
}

async function messages({ must, run, sandbox }: Project): Promise<void> {
  const file = ['--file', `given/${word}.txt`];
  await must([...SEND, '--text', `Hello ${name}, ${word}`, ...file]);
  // Refused by the service, which quotes the number: the event fails and keeps its request and its upload.
  const refusal = { error: QUOTE, code: 'ERR_NUMBER_NOT_ON_WHATSAPP' };
  const refuse = { method: 'POST', path: '/messages/send', kind: 'status', status: 422, times: 1 };
  await sandbox.panel.fault(Object.assign({ body: refusal }, refuse));
  await run([...SEND, '--text', `Bye ${name}`, ...file]);
  // An error that no rule knows.
  await sandbox.panel.fault(
    Object.assign({}, refuse, { status: 418, body: { error: QUOTE, code: `ERR_${word}` } }),
  );
  await run([...SEND, '--text', `Again ${name}`]);
  await sandbox.panel.clearFaults();
}

/** As a browser does: searches, opens, reads in plain text, answers, sends a file, uploads an export, plans it. */
async function consoleOf(project: Project, conversation: number): Promise<void> {
  const { url } = project.dev();
  const guest = httpClient(url, null);
  const login = Object.assign({ accessToken: { name: 'test' } }, LOGIN);
  const { accessToken } = await guest.call('POST /login', login);
  await guest.close();
  const client = httpClient(url, accessToken as string);
  try {
    await searches(client);
    const { upload: file } = await client.call('POST /messages/files', {
      account: 'acme',
      name: `${word}.txt`,
      type: 'text/plain',
      data: Buffer.from(ABOUT),
    });
    await client.call('POST /messages', {
      account: 'acme',
      request: {
        type: 'message',
        to: { conversation },
        text: `An answer to ${name}`,
        uploads: [file],
        outsideWindow: 'refuse',
        saveOnTicket: true,
      },
    });
    const data = await readFile(join(project.folder, 'data/leads.csv'));
    const { upload, recognized } = await client.call('POST /uploads', { name: `${word}.csv`, file: data });
    const { mapping } = recognized;
    if (mapping === null) throw new Error('the export was not recognized');
    const preview = await client.call('POST /uploads/{upload}/preview', { upload, mapping });
    const shown = JSON.stringify([recognized, preview]);
    if (shown.includes(key) || shown.includes(email)) throw new Error(`shown in plain text: ${shown}`);
    await client.call('POST /uploads/{upload}/plans', { upload, account: 'acme', sync: 'first', mapping });
  } finally {
    await client.close();
  }
}

async function searches(client: ConnectedClient): Promise<void> {
  for (const query of [`+${key}`, '(11) 97654-3210', email, name]) {
    const { people } = await client.call('POST /people/search', { query, unmask: true });
    const [hit] = people;
    if (hit === undefined) throw new Error(`nobody is found by a ${query.length} letter query`);
    const { account, person } = hit;
    await client.call('GET /people/{account}/{person}', { account, person, unmask: true });
    await client.call('GET /people/{account}/{person}/timeline', { account, person, unmask: true });
  }
  await client
    .call('GET /people/{account}/{person}', { account: 'acme', person: 'p0' })
    .catch(() => undefined);
}

async function campaign({ must, sandbox }: Project): Promise<void> {
  await must(['campaign', 'plan', 'win-back', '--sample', '0']);
  await must(['campaign', 'start', 'win-back', '--yes']);
  await until('the flow ran', async () => (await sandbox.panel.flowRuns()).length >= 2);
}

/** Commands that fail, and commands that show failures. */
async function mistakes({ run, folder }: Project): Promise<void> {
  const file = join(folder, 'data/leads.csv');
  const good = await readFile(file);
  await writeFile(file, Buffer.concat([good, Buffer.from(`"${name},${key},${email}`)]));
  await run(['sync', 'run', 'leads']);
  await writeFile(file, good);
  const atOnce = pLimit(3);
  const commands = [
    ['sync', 'status'],
    ['sync', 'rows', 'leads'],
    ['failures'],
    ['status'],
    ['events', 'list'],
    ['outbox', 'list', '--dead'],
    ['calls', 'list', '--since', '1h'],
    ['find', `+${key}`],
    ['find', '97654-3210'],
    ['person', 'export', name.slice(0, 3), '--account', 'nobody'],
    ['doctor'],
    ['config', 'check'],
  ];
  await Promise.all(commands.map((words) => atOnce(() => run(words))));
}

/** The process dies while it sends, without a chance to clean up, and starts again. */
async function crash(project: Project, whileDown: () => Promise<void>): Promise<void> {
  const { sandbox } = project;
  await sandbox.panel.fault({ method: 'POST', path: '/messages/send', kind: 'hang', times: 1 });
  const before = (await sandbox.panel.requests()).length;
  const sent = project.run([...SEND, '--to-opted-out', '--text', `Last words to ${name}: ${word}`]);
  await until('the call is in flight', async () =>
    (await sandbox.panel.requests()).slice(before).some(({ path }) => path.endsWith('/messages/send')),
  ).catch(() => undefined);
  await project.killDev();
  await sent;
  await sandbox.panel.clearFaults();
  await whileDown();
  await project.startDev();
}

async function optOut({ sandbox, run }: Project): Promise<void> {
  await sandbox.panel.inbound({ number: key, body: 'Sair', connectionId: 1 });
  await until('the opt-out is known', async () =>
    (await run(['find', `+${key}`, '--json'])).stdout.includes('OPTED_OUT'),
  );
}

async function untilQuiet({ run }: Project): Promise<void> {
  await until('all events have ended', async () => {
    const { stdout } = await run(['events', 'list', '--json']);
    return !/"state":"(?:accepted|received)"/.test(stdout);
  });
}
