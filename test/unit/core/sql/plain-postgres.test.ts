// A connection to PostgreSQL that others on the network could read is refused before it is made.
import { expect, it } from 'vitest';
import { postgresSink } from '../../../../src/connectors/sinks/postgres.ts';
import { DatabaseUrlError, openPostgres } from '../../../../src/core/sql/database.ts';

const REFUSED = [
  'postgres://u:CANARY@db.example.com/x',
  'postgres://u:CANARY@postgres:5432/x',
  'postgres://u:CANARY@10.0.0.7/x',
  'postgres://u:CANARY@127.0.0.1.nip.io/x',
  'postgres://u:CANARY@localhost.evil.com/x',
  'postgresql://u:CANARY@localhost/x?host=db.example.com',
  'postgres://u:CANARY@db.example.com/x?ssl=0',
  'postgres://u:CANARY@db.example.com/x?sslmode=',
  'postgres://u:CANARY@db.example.com/x?SSLMODE=disable',
  'postgres://u:CANARY@db.example.com/x?application_name=sslmode%3Ddisable',
];
const ACCEPTED = [
  'postgres://u:p@localhost/x',
  'postgres://u:p@127.0.0.1:5432/x',
  'postgres://u:p@[::1]/x',
  'postgres://u:p@localhost/x?host=/run/postgresql',
  'postgres://u:p@%2Frun%2Fpostgresql/x',
  'postgres://u:p@db.example.com/x?sslmode=disable',
  'postgres://u:p@db.example.com/x?sslmode=verify-full',
  'postgres://u:p@db.example.com/x?sslmode=require',
  'postgres://u:p@db.example.com/x?ssl=true',
];
const WAYS_OUT = /unencrypted to .*sslmode=verify-full.*Unix socket.*sslmode=disable/;
const config = { type: 'postgres', url: 'env:DB', table: 'events' } as never;
const sink = (url: string) => postgresSink(config, { name: 'shop', url, log: () => undefined });

it.each(REFUSED)('%s is refused for the ledger and for sinks, with the ways out', async (url) => {
  const error: Error = await openPostgres(url, () => undefined).then(
    () => new Error('opened'),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(DatabaseUrlError);
  expect(error.message).toMatch(WAYS_OUT);
  expect(error.message).not.toContain('CANARY');
  expect(() => sink(url)).toThrow(WAYS_OUT);
});

it.each(ACCEPTED)('%s is accepted', async (url) => {
  // A pool connects at its first statement.
  await (await openPostgres(url, () => undefined)).close();
  expect(() => sink(url)).not.toThrow();
});
