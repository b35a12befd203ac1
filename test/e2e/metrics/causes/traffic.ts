// What comes in: leads, Kafka records, and campaigns that a person starts.
import { until } from '../../../support/until.ts';
import type { Company } from '../company.ts';
import { TOPIC } from '../company-config.ts';
import { reason } from './cause.ts';

/** Somebody else at each call, so that no event is a repetition. */
export function newPerson(): object {
  const local = Math.floor(Math.random() * 10_000_000);
  return { phone: `55219${String(80_000_000 + local)}`, name: 'Zuleica Quaresma' };
}

export async function startCampaign({ call }: Company, name: string): Promise<void> {
  await call('POST', `/campaigns/${name}/plan`, { reason });
  await until(`${name} is planned`, async () => {
    const { runs } = await call<{ runs: { state: string }[] }>(
      'GET',
      `/campaign-runs?campaign=${name}&limit=1`,
    );
    return runs[0]?.state === 'planned';
  });
  await call('POST', `/campaigns/${name}/start`, { reason });
}

export async function produce({ client }: Company, values: readonly object[]): Promise<void> {
  const producer = client.producer();
  await producer.connect();
  await producer.send({ topic: TOPIC, messages: values.map((value) => ({ value: JSON.stringify(value) })) });
  await producer.disconnect();
}
