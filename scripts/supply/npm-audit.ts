// Asks the npm registry for its vulnerability data, through npm itself.
import { execFile } from 'node:child_process';
import { AuditReport } from './audit.ts';

/** Thrown when the registry did not answer with vulnerability data. */
export class NoAuditDataError extends Error {
  override readonly name = 'NoAuditDataError';
}

const AUDIT_MS = 120_000;

/**
 * npm asks the registry that it is configured for, with its proxy and its login.
 * @param args further options of `npm audit`
 * @throws NoAuditDataError
 */
export async function askNpm(root: string, args: readonly string[]): Promise<AuditReport> {
  // npm fails when it finds anything, so its exit code says nothing.
  const output = await new Promise<string>((done) => {
    const options = { cwd: root, timeout: AUDIT_MS, maxBuffer: 1 << 28 };
    execFile('npm', ['audit', '--json', '--package-lock-only', ...args], options, (_error, stdout) =>
      done(stdout),
    );
  });
  const answer = parsed(output);
  const report = AuditReport.safeParse(answer);
  if (report.success) return report.data;
  const { message } = answer as { message?: unknown };
  throw new NoAuditDataError(
    typeof message === 'string' ? message : 'npm printed something else than a report',
  );
}

function parsed(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch (error) {
    throw new NoAuditDataError(`npm printed no JSON: ${output.slice(0, 200)}`, { cause: error });
  }
}
