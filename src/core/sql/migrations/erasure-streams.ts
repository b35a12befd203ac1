// Version 46: an erasure that was interrupted remembers the streams of outgoing events that name the person.

export const ERASURE_STREAMS = `
  -- Values of partitionkey: their lines in the files of sinks are erased too.
  alter table erasures add column streams text[] not null default '{}';
`;
