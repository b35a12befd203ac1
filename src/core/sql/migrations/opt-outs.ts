// Opt-outs as a registry: where each comes from, what shows it, who recorded it, and whether it was withdrawn.

export const OPT_OUT_REGISTRY: readonly string[] = [
  `alter table opt_outs
     add column id bigint generated always as identity,
     -- What shows it, for example the person's own words. Encrypted if the ledger has keys. Null: nothing, or erased.
     add column evidence jsonb,
     -- Identity of the operator. Null: Sluice itself.
     add column recorded_by text,
     add column recorded_at timestamptz default now(),
     -- The last withdrawal. The opt-out is in effect if it is later than this.
     add column withdrawn_at timestamptz,
     add column withdrawn_by text,
     add column withdrawn_reason text`,
  'create index opt_outs_id on opt_outs (id)',
];
