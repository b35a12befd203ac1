// Migration of syncs: due times of records, and the batch that holds each.

/**
 * A pending record is due at `due_at`. A new record is always due. A record that waits for a retry or a read-back is
 * due later, a record that a batch holds when its lease ends, and a record whose steps are all stopped never. Retries
 * come before new records.
 */
export const BATCH_TABLES = `
  alter table run_records
    add column due_at timestamptz not null default '-infinity',
    add column holder text;
  drop index run_records_status;
  create index run_records_due on run_records (run_id, due_at desc, id) where status = 'pending';
  create index run_records_ended on run_records (run_id, status, id) where status <> 'pending';
`;

/** Batches that were taken back may still run on a stalled worker. */
export const TAKEN_BACK_COLUMN = `
  -- By batch: the first attempt of it that may still take records.
  alter table runs add column taken_back jsonb not null default '{}';
`;
