// A ledger that knows very many people, made by the database itself: names with the frequencies of a country, numbers,
// e-mail addresses, the last run of a sync, a campaign, conversations with messages, and events.
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../src/core/sql/database.ts';

export const ACCOUNT = 'acme';

const FIRST = `array['Maria','José','Ana','João','Antônio','Francisco','Carlos','Paulo','Pedro','Lucas','Luiz','Marcos','Luís','Gabriel','Rafael','Francisca','Daniel','Marcelo','Bruno','Eduardo','Felipe','Raimundo','Rodrigo','Antônia','Adriana','Juliana','Márcia','Fernanda','Patrícia','Aline','Sandra','Camila','Amanda','Bruna','Jéssica','Letícia','Júlia','Luciana','Vanessa','Mariana']`;
const LAST = `array['Silva','Santos','Oliveira','Souza','Rodrigues','Ferreira','Alves','Pereira','Lima','Gomes','Costa','Ribeiro','Martins','Carvalho','Almeida','Lopes','Soares','Fernandes','Vieira','Barbosa','Rocha','Dias','Nascimento','Andrade','Moreira','Nunes','Marques','Machado','Mendes','Freitas','Cardoso','Ramos','Gonçalves','Santana','Teixeira','Araújo','Pinto','Cavalcanti','Monteiro','Moura']`;

/** The first entries of a list are the most frequent ones. */
const pick = (list: string) => `(${list})[1 + floor(40 * power(random(), 1.8))::int]`;

/** The number of person `i`, as people.key. */
export const keyOf = (i: number): string => `5511${900_000_000 + i}`;

export async function fillLedger(db: Database, people: number, say: (line: string) => void): Promise<void> {
  const step = 100_000;
  await db.query('select setseed(0.42)');
  for (let from = 0; from < people; from += step) {
    await db.query(
      `insert into people (account, key, remote_id, remote_number, name, email, synced_at, hash_contact, hash_extra, hash_tags, sent)
       select $1, n.key, i, n.key, n.first || ' ' || n.last || ' ' || n.rare, lower(n.last) || i || '@example.com', now(), 'c', 'e', 't', '{"name":"h"}'
         from generate_series($2::int, $3::int) i,
              lateral (select '5511' || (900000000 + i) as key, ${pick(FIRST)} as first, ${pick(LAST)} as last,
                              'Q' || left(md5(i::text), 3) as rare) n`,
      [ACCOUNT, from, Math.min(from + step, people) - 1],
    );
    say(`${Math.min(from + step, people)} people`);
    await wait(0);
  }
  await fillWork(db, people);
}

async function fillWork(db: Database, people: number): Promise<void> {
  const part = Math.floor(people / 10);
  await db.query(
    `insert into runs (id, account, sync, seq, status, spec, started_at, finished_at, counts)
     select $1 || '/leads/' || i, $1, 'leads', i, 'finished', '{}', now() - make_interval(days => 200 - i), now(), case when i < 200 then '{}'::jsonb end
       from generate_series(1, 200) i`,
    [ACCOUNT],
  );
  await db.query(
    `insert into run_records (run_id, key, row_no, todo, status, ended_at)
     select $1 || '/leads/200', '5511' || (900000000 + i), i + 1, 0, 'updated', now() from generate_series(0, $2::int - 1) i`,
    [ACCOUNT, part],
  );
  await db.query(
    `insert into runs (id, account, sync, seq, status, spec, kind, finished_at)
     select $1 || '/+winback/' || i, $1, '+winback', i, 'finished', '{}', 'campaign', now() from generate_series(1, 10) i`,
    [ACCOUNT],
  );
  await db.query(
    `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by, planned_at, started_at)
     select id, $1, 'winback', '', 'finished', now(), 'bench', now(), now() from runs where kind = 'campaign'`,
    [ACCOUNT],
  );
  await db.query(
    `insert into campaign_members (run_id, key, number, part, state, code, reason)
     select c.run_id, '5511' || (900000000 + i), '5511' || (900000000 + i), 0, 'excluded', 'OPTED_OUT', 'they said so'
       from campaigns c, generate_series(0, $1::int - 1) i`,
    [Math.floor(part / 10)],
  );
  await db.query(
    `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item)
     select $1, i + 1, 'main', 1, 'waba', '5511' || (900000000 + i), now(), '',
            jsonb_build_object('state', jsonb_build_object('status', 'open', 'contact', jsonb_build_object('id', i, 'name', 'Bea Zimmer ' || i, 'number', '5511' || (900000000 + i))))
       from generate_series(0, $2::int - 1) i`,
    [ACCOUNT, part],
  );
  await db.query(
    `insert into messages (account, conversation_id, key, at, from_me, status)
     select $1, 1 + i % 1000, 'id:' || i, now(), i % 2 = 0, 'read' from generate_series(0, 99999) i`,
    [ACCOUNT],
  );
}
