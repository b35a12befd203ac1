// A ledger with something in every column that is encrypted, written by the functions that write it in production.
import { personSubject } from '../../../../src/core/ids.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { noteOptOuts } from '../../../../src/core/store/opt-outs.ts';
import { findPeople, noteSeen } from '../../../../src/core/store/people.ts';
import { addFound } from '../../../../src/jobs/campaigns/store/audience.ts';
import { sampleMembers } from '../../../../src/jobs/campaigns/store/plan-facts.ts';
import { saveListings } from '../../../../src/jobs/conversations/store/conversations.ts';
import { stageMessages } from '../../../../src/jobs/conversations/store/messages.ts';
import { findConversation, listMessages } from '../../../../src/jobs/conversations/store/queries.ts';
import type { EventDraft } from '../../../../src/jobs/events/contract/intake.ts';
import { findEvent } from '../../../../src/jobs/events/store/event-queries.ts';
import { addEvents } from '../../../../src/jobs/events/store/events.ts';
import {
  keepRefusedRequests,
  readRefusedRequest,
  refusedRequestId,
} from '../../../../src/jobs/events/store/refused-requests.ts';
import { readUploads, storeUpload } from '../../../../src/jobs/events/store/uploads.ts';
import { probeEvent } from '../../../../src/jobs/outbox/store/due.ts';
import { putEvents } from '../../../../src/jobs/outbox/store/outbox.ts';
import { findClaims, saveClaims } from '../../../../src/jobs/sync/store/plan/claims.ts';
import { addPage, readChunks } from '../../../../src/jobs/sync/store/plan/pages.ts';
import { openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { stagedRecords, stageRecords } from '../../../../src/jobs/sync/store/staged-records.ts';
import { proposeSecret, secretOf } from '../../../../src/operator/store/identity/second-factors.ts';
import { createUser } from '../../../../src/operator/store/identity/users.ts';
import { freshAccount, phone, recordOf, specOf } from '../sql/support.ts';

export interface Filled {
  readonly account: string;
  readonly run: string;
  readonly event: string;
  readonly upload: string;
  readonly refused: string;
  readonly user: number;
  readonly secret: string;
}

const KEY = phone(1);
const CONVERSATION = 7;
const CLAIMS = (secret: string) => ({ claims: { name: { row: 1, value: secret } }, against: null });

/** @param secret in every encrypted column, and nowhere else */
export async function fill(db: Database, secret: string): Promise<Filled> {
  const account = freshAccount();
  const { id: run } = await openRun(db, specOf(account));
  const record = recordOf(KEY, {
    extraInfo: [{ name: 'note', value: secret }],
    card: { pipeline: 'Sales', stage: 'New', title: secret, customFields: {} },
  });
  await stageRecords(db, run, [{ key: KEY, row: 1, record, todo: 1 }]);
  const file = { account, filename: 'a.txt', contentType: 'text/plain', data: Buffer.from(secret) };
  const { id: upload } = await storeUpload(db, file, 1);
  const refusal = {
    account,
    route: 'form',
    code: 'SCHEMA',
    reason: '',
    content: { headers: { from: secret }, body: Buffer.from(secret), signature: null },
  };
  await keepRefusedRequests(db, [refusal]);
  const event = `${account}-event`;
  const draft: EventDraft = {
    id: event,
    account,
    route: 'form',
    subject: personSubject(KEY),
    rank: null,
    request: {
      type: 'message',
      to: { number: KEY, key: KEY },
      text: secret,
      uploads: [upload],
      saveOnTicket: true,
    },
  };
  await addEvents(db, run, [draft]);
  await db.transaction((tx) =>
    putEvents(tx, account, [{ sink: account, event: outboxEvent(account, secret) as never }]),
  );
  await stageMessages(db, account, CONVERSATION, [{ message: messageOf(secret), place: 0 }]);
  await saveListings(db, { account, poller: 'main' }, [
    { listing: listingOf(secret), todo: false, published: false },
  ]);
  await noteSeen(db, account, KEY, run, {
    id: 1,
    contact: {
      number: KEY,
      name: 'Bia',
      email: null,
      document: secret,
      disableBot: false,
      tags: [{ id: 1, name: 'vip' }],
      extraInfo: [{ name: 'note', value: secret }],
    },
  });
  await db.query(
    `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by) values ($1, $2, 'win', '', 'planning', now(), 'ana')`,
    [run, account],
  );
  await addFound(db, run, 0, [{ key: KEY, number: KEY, variables: { note: secret, other: 1 } }]);
  await db.query(`update campaign_members set state = 'waiting' where run_id = $1`, [run]);
  await noteOptOuts(db, account, [KEY], 'reply', new Date(), secret);
  const chunks = [Buffer.from(`${secret}1`), Buffer.from(`${secret}2`)] as const;
  const ends = [chunks[0].length, chunks[0].length + chunks[1].length];
  await addPage(db, run, 1, new Map([[KEY, 1]]), { bytes: Buffer.concat(chunks), ends });
  await saveClaims(db, run, new Map([[KEY, { ...CLAIMS(secret), against: CLAIMS(secret).claims }]]));
  const user = await createUser(db, {
    name: account,
    displayName: account,
    role: 'viewer',
    passwordHash: null,
    oidc: null,
    unixUser: null,
  });
  await proposeSecret(db, user?.id ?? 0, secret);
  const refused = refusedRequestId(refusal);
  return { account, run, event, upload, refused, user: user?.id ?? 0, secret };
}

/** What the functions of production read, which contains the secret in each part. */
export async function readAll(db: Database, { account, run, event, upload, refused, user }: Filled) {
  const [chunk] = await readChunks(db, run, [{ page: 1, chunk: 1 }]);
  const person = (await findPeople(db, account, [KEY], 'Sales')).get(KEY);
  return {
    record: (await stagedRecords(db, run, { after: 0, limit: 1 }))[0]?.payload,
    event: (await findEvent(db, event))?.request,
    outbox: (await probeEvent(db, account, new Date()))?.event,
    message: (await listMessages(db, { account, id: CONVERSATION }, { limit: 1 })).messages[0]?.text,
    lastMessage: (await findConversation(db, account, CONVERSATION))?.lastMessage,
    file: (await readUploads(db, account, [upload])).get(upload)?.data.toString(),
    refused: (await readRefusedRequest(db, refused))?.content.headers.from,
    extra: person?.extra_known,
    seen: person?.seen?.document,
    variables: (await sampleMembers(db, run, 1))[0]?.variables,
    chunk: Buffer.from(chunk?.bytes ?? []).toString(),
    claims: (await findClaims(db, run, [KEY])).get(KEY),
    secondFactor: await secretOf(db, user, false),
  };
}

function outboxEvent(account: string, text: string) {
  return {
    id: 'id:1',
    type: 'message.received',
    partitionkey: `${account}/${CONVERSATION}`,
    data: { message: { body: text } },
  };
}

function messageOf(body: string) {
  return { key: 'id:1', id: '1', body, fromMe: false, at: null, status: null, raw: { body } };
}

function listingOf(lastMessage: string) {
  const connection = { id: 1, name: 'main', channel: 'waba' };
  const state = {
    id: CONVERSATION,
    status: 'open',
    channel: 'waba',
    chatbot: false,
    queueId: null,
    userId: 1,
    createdAt: '2026-11-20T10:00:00.000Z',
    updatedAt: '2026-11-20T10:00:00.000Z',
    contact: { id: 1, name: 'Bia', number: KEY },
    connection,
  };
  return { state, lastMessage, mayBeServed: false, fingerprint: 'f', personKey: KEY };
}
