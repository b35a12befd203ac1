// The audit log of the dispatcher, in the ledger.
import type { Database } from '../../core/sql/database.ts';
import { addAudit, completeAudit, countAudit } from '../store/audit.ts';
import type { AuditLog } from './dispatch.ts';

export function auditLog(db: Database): AuditLog {
  return {
    write: (entry, outcome) => addAudit(db, entry, outcome),
    count: (entry, minutes) => countAudit(db, entry, minutes),
    complete: (id, outcome, details) => completeAudit(db, id, outcome, details),
  };
}
