// Records as the API text describes them, one place for all tests of the client.

const AT = '2026-11-20T10:00:00.000Z';

export const RATE = {
  'x-ratelimit-limit': '120',
  'x-ratelimit-remaining': '119',
  'x-ratelimit-reset': '1795000000',
};

export function aContact(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 1,
    name: 'Bia',
    number: '5511987654321',
    email: null,
    document: null,
    channel: 'whatsapp',
    profilePicUrl: null,
    disableBot: false,
    tags: [{ id: 1, name: 'vip', color: '#ff0000' }],
    createdAt: AT,
    updatedAt: AT,
    ...over,
  };
}

export function aCard(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 7,
    title: 'Lead - Bia',
    value: 10,
    status: 'open',
    probability: 10,
    pipeline: { id: 1, name: 'Sales' },
    stage: { id: 11, name: 'New' },
    contact: { id: 1, name: 'Bia', number: '5511987654321', email: null, tags: [{ id: 1, name: 'vip' }] },
    user: null,
    source: { id: 1, name: 'site' },
    lostReason: null,
    originTicketId: null,
    expectedCloseDate: '2026-12-01',
    closedAt: null,
    stageEnteredAt: AT,
    createdAt: AT,
    updatedAt: AT,
    ...over,
  };
}

export function aPipeline(over: Record<string, unknown> = {}): Record<string, unknown> {
  const stage = { name: 'New', isFinal: false, isWon: false, probability: 10 };
  return {
    id: 1,
    name: 'Sales',
    stages: [
      { ...stage, id: 12, order: 2 },
      { ...stage, id: 11, order: 1 },
    ],
    ...over,
  };
}

export function aConversation(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 5,
    status: 'open',
    channel: 'waba',
    chatbot: false,
    queueId: 2,
    userId: 1,
    lastMessage: 'hi',
    createdAt: AT,
    updatedAt: AT,
    contact: { id: 1, name: 'Bia', number: '5511987654321', email: null, profilePicUrl: null },
    connection: { id: 1, name: 'main', channel: 'waba', status: 'CONNECTED' },
    queue: { id: 2, name: 'Sales', color: '#00ff00' },
    owner: { id: 1, name: 'Ana' },
    ...over,
  };
}

/** A message as sending answers it. */
export function aSentMessage(over: Record<string, unknown> = {}): Record<string, unknown> {
  return { id: 'wamid.A', status: 'queued', ack: 0, createdAt: AT, ...over };
}
