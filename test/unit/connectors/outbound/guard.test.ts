// Addresses that a connection may reach, against names that resolve as an attacker says.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { classOf } from '../../../../src/connectors/outbound/addresses.ts';
import {
  createGuard,
  type Guard,
  type HostAddress,
  type Reach,
} from '../../../../src/connectors/outbound/guard.ts';
import { readCapped } from '../../../../src/connectors/outbound/read-capped.ts';

describe('an address', () => {
  it.each([
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
    '64:ff9b::808:808',
  ])('%s is public', (address) => {
    expect(classOf(address)).toBe('public');
  });

  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.1.1',
    '100.64.0.1',
    '::1',
    'fd12::1',
    'fc00::1',
    'fe80::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    // Public ones in disguise are let in no sooner.
    '::ffff:8.8.8.8',
    '0:0:0:0:0:ffff:0808:0808',
    '64:ff9b::a00:1',
    '64:ff9b::7f00:1',
  ])('%s is of the own network', (address) => {
    expect(classOf(address)).toBe('private');
  });

  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '168.63.129.16',
    '100.100.100.200',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::',
    '64:ff9b::1:a00:1',
    '64:ff9b:1::a00:1',
    '0.0.0.0',
    '0.1.2.3',
    '224.0.0.1',
    '239.255.255.250',
    '255.255.255.255',
    '240.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '::',
    'ff02::1',
    '::ffff:0.0.0.0',
    '::ffff:0',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '::127.0.0.1',
    'fe80::1%eth0',
    'localhost',
    '',
    '127.1',
    '0177.0.0.1',
    '2130706433',
  ])('%s is out of reach for all', (address) => {
    expect(classOf(address)).toBe('forbidden');
  });
});

describe('a connection', () => {
  let server: Server;
  let port: number;
  let hits: number;
  beforeAll(async () => {
    server = createServer((_req, res) => {
      hits++;
      res.end('reached');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  beforeEach(() => {
    hits = 0;
  });

  const at = (...addresses: string[]): HostAddress[] =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  /** Every lookup of a name gives the next answer; the last one stays. */
  const guardOf = (reach: Reach, ...answers: HostAddress[][]) => {
    let asked = 0;
    const resolve = async () => answers[Math.min(asked++, answers.length - 1)] ?? [];
    return { guard: createGuard({ reach, connectMs: 500, resolve }), asked: () => asked };
  };
  const get = async ({ connect }: Guard, host: string) => {
    const agent = new Agent({ connect });
    try {
      const { body } = await request(`http://${host}:${port}/`, { dispatcher: agent });
      return await body.text();
    } catch (error) {
      return (error as { code?: string }).code;
    } finally {
      await agent.destroy();
    }
  };

  it('goes to the address that was checked; a second lookup would have led elsewhere', async () => {
    const { guard, asked } = guardOf('private', at('127.0.0.1'), at('169.254.169.254'));
    expect(await get(guard, 'a.test')).toBe('reached');
    expect(asked()).toBe(1);
    expect(await get(guard, 'a.test')).toBe('ADDRESS_REFUSED');
  });

  it.each<[Reach, string[], string]>([
    ['public', ['127.0.0.1'], 'ADDRESS_REFUSED'],
    ['public', ['93.184.215.14', '127.0.0.1'], 'ADDRESS_REFUSED'],
    ['public', ['::ffff:127.0.0.1'], 'ADDRESS_REFUSED'],
    ['private', ['127.0.0.1'], 'reached'],
    ['private', ['127.0.0.1', '169.254.169.254'], 'ADDRESS_REFUSED'],
    ['private', ['169.254.169.254', '127.0.0.1'], 'ADDRESS_REFUSED'],
    ['private', ['0.0.0.0'], 'ADDRESS_REFUSED'],
    ['private', [], 'ADDRESS_REFUSED'],
    ['asFirst', ['127.0.0.1'], 'reached'],
  ])('%s, a name with %j: %s', async (reach, addresses, outcome) => {
    expect(await get(guardOf(reach, at(...addresses)).guard, 'a.test')).toBe(outcome);
    expect(hits).toBe(outcome === 'reached' ? 1 : 0);
  });

  it.each<[Reach, string]>([
    ['public', '127.0.0.1'],
    ['public', '[::1]'],
    ['public', '[::ffff:127.0.0.1]'],
    ['public', '2130706433'],
    ['public', '0x7f.0.0.1'],
    ['public', 'localhost'],
    ['private', '0.0.0.0'],
    ['private', '[::]'],
    ['private', '169.254.169.254'],
  ])('%s: %s in a URL needs no lookup, and is checked too', async (reach, host) => {
    expect(await get(createGuard({ reach, connectMs: 500 }), host)).toBe('ADDRESS_REFUSED');
    expect(hits).toBe(0);
  });

  it('that reached the internet first reaches nothing private afterwards', async () => {
    const { guard } = guardOf('asFirst', at('93.184.215.14'), at('127.0.0.1'));
    guard.connect(
      { hostname: 'a.test', host: 'a.test', protocol: 'http:', port: '1' },
      (_error, socket) => void socket?.destroy(),
    );
    await new Promise((done) => setImmediate(done));
    expect(guard.reached).toBe('public');
    expect(await get(guard, 'b.test')).toBe('ADDRESS_REFUSED');
    expect(await get(guard, '127.0.0.1')).toBe('ADDRESS_REFUSED');
    expect(hits).toBe(0);
  });
});

it('a body without end is read up to the limit', async () => {
  let given = 0;
  async function* endless() {
    for (;;) {
      given++;
      yield new Uint8Array(10);
    }
  }
  expect(await readCapped(endless(), 95)).toBeNull();
  expect(given).toBe(10);
  expect(await readCapped(null, 1)).toEqual(Buffer.alloc(0));
});
