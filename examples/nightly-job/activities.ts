// Reads who is due, and messages each of them once a day.
import pg from 'pg';
import type { Sluice } from 'sluice/worker';

export interface JobOptions {
  readonly account: string;
  /** PostgreSQL with the table `appointments (id, phone, name, due_on)`. */
  readonly database: string;
}

export interface Counts {
  sent: number;
  repeated: number;
  optedOut: number;
  unknown: number;
}

interface Appointment {
  readonly id: string;
  readonly phone: string;
  readonly name: string;
}

export function createActivities(sluice: Sluice, { account, database }: JobOptions) {
  return {
    /** @param day ISO date. A retried activity begins at the top: who has the message costs one statement. */
    async messageDue(day: string): Promise<Counts> {
      const client = sluice.account(account, { lane: 'campaign' });
      const counts: Counts = { sent: 0, repeated: 0, optedOut: 0, unknown: 0 };
      for (const { id, phone, name } of await readDue(database, day)) {
        if (await sluice.optedOut(account, phone)) {
          counts.optedOut++;
          continue;
        }
        const message = { number: phone, body: `Hello ${name}, your appointment is tomorrow.` };
        const { outcome } = await client.once(
          'due-reminder',
          `${id}/${day}`,
          ({ messages }) => messages.send(message),
          (sentAt) => client.findMessage({ number: phone, text: message.body }, sentAt),
        );
        counts[outcome === 'done' ? 'sent' : outcome]++;
      }
      return counts;
    },
  };
}

async function readDue(database: string, day: string): Promise<Appointment[]> {
  const db = new pg.Client({ connectionString: database });
  await db.connect();
  try {
    // Each person once: somebody may have two appointments on a day.
    const { rows } = await db.query<Appointment>(
      `select distinct on (phone) id::text, phone, name from appointments where due_on = $1::date order by phone, id`,
      [day],
    );
    return rows;
  } finally {
    await db.end();
  }
}
