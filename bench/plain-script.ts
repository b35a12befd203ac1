// A plain script for comparison: for each row of the file it makes an upsert and a card, at the rate that the token
// allows. It knows nothing of earlier runs.
import Bottleneck from 'bottleneck';
import { Pool } from 'undici';
import type { Person } from './support/people.ts';

export interface PlainScriptOptions {
  readonly baseUrl: string;
  readonly token: string;
  readonly callsPerMinute: number;
  readonly pipelineId: number;
  /** Name of a stage → id. */
  readonly stages: Readonly<Record<string, number>>;
}

/** @throws Error at the first answer that is not a success */
export async function runPlainScript(options: PlainScriptOptions, rows: readonly Person[]): Promise<void> {
  const { baseUrl, token, callsPerMinute, pipelineId, stages } = options;
  const limiter = new Bottleneck({
    reservoir: callsPerMinute,
    reservoirRefreshAmount: callsPerMinute,
    reservoirRefreshInterval: 60_000,
    maxConcurrent: 8,
  });
  const { origin, pathname } = new URL(baseUrl);
  const pool = new Pool(origin, { connections: 8 });
  const post = (path: string, body: object) =>
    limiter.schedule(async () => {
      const answer = await pool.request({
        method: 'POST',
        path: pathname + path,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`POST ${path}: ${answer.statusCode} ${text}`);
      return JSON.parse(text) as { contact?: { id: number } };
    });
  try {
    await Promise.all(
      rows.map(async ({ phone, name, email, stage }) => {
        const { contact } = await post('/v1/contacts', { number: phone, name, email });
        await post('/v1/cards', { contactId: contact?.id, pipelineId, stageId: stages[stage] });
      }),
    );
  } finally {
    await limiter.disconnect();
    await pool.destroy();
  }
}
