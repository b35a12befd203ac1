// What operators see of retention: each kind with its configured time, its size, and what its passes deleted.
import type { Config } from '../../config/schema/config.ts';
import type { Queryable } from '../../core/sql/database.ts';
import type { RetentionOfKind } from '../../operator/contract/settings.ts';
import { KINDS } from './kinds.ts';
import { readSizes, readStates } from './states.ts';

export async function retentionOf(
  db: Queryable,
  config: Pick<Config, 'retention' | 'ingress'>,
): Promise<RetentionOfKind[]> {
  const states = new Map((await readStates(db)).map((state) => [state.kind, state]));
  const sizes = new Map(
    (
      await readSizes(
        db,
        KINDS.flatMap(({ tables }) => tables),
      )
    ).map((size) => [size.table, size]),
  );
  return KINDS.map(({ kind, setting, tables, keeps }) => {
    const state = states.get(kind);
    return {
      kind,
      setting,
      keeps: keeps(config),
      tables: tables.flatMap((table) => sizes.get(table) ?? []),
      active: state?.active ?? false,
      startedAt: state?.startedAt ?? null,
      endedAt: state?.endedAt ?? null,
      deleted: state?.deleted ?? 0,
      deletedEver: state?.deletedEver ?? 0,
      error: state?.error ?? null,
    };
  });
}
