// Problems of rows in a private file, one a line, with the position of every hundredth: a million of them have no
// place in memory.
import { open, rm } from 'node:fs/promises';
import type { PlanProblem } from '../../jobs/sync/contract/plan.ts';

const STRIDE = 100;
const READ_BYTES = 65_536;

export interface ProblemFile {
  readonly count: number;
  add(problems: readonly PlanProblem[]): Promise<void>;
  read(from: number, limit: number): Promise<PlanProblem[]>;
  remove(): Promise<void>;
}

export async function createProblemFile(path: string): Promise<ProblemFile> {
  const file = await open(path, 'wx+', 0o600);
  const positions: number[] = [];
  let count = 0;
  let size = 0;
  return {
    get count() {
      return count;
    },
    async add(problems) {
      let text = '';
      for (const problem of problems) {
        if (count % STRIDE === 0) positions.push(size + Buffer.byteLength(text));
        text += `${JSON.stringify(problem)}\n`;
        count++;
      }
      const bytes = Buffer.from(text);
      await file.write(bytes, 0, bytes.length, size);
      size += bytes.length;
    },
    async read(from, limit) {
      let position = positions[Math.floor(from / STRIDE)];
      if (position === undefined || from >= count) return [];
      let skip = from % STRIDE;
      const found: PlanProblem[] = [];
      let rest = Buffer.alloc(0);
      while (found.length < limit) {
        const chunk = Buffer.alloc(READ_BYTES);
        const { bytesRead } = await file.read(chunk, 0, READ_BYTES, position);
        if (bytesRead === 0) break;
        position += bytesRead;
        rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
        for (let end = rest.indexOf(10); end >= 0 && found.length < limit; end = rest.indexOf(10)) {
          if (skip > 0) skip--;
          else found.push(JSON.parse(rest.toString('utf8', 0, end)) as PlanProblem);
          rest = rest.subarray(end + 1);
        }
      }
      return found;
    },
    async remove() {
      await file.close();
      await rm(path, { force: true });
    },
  };
}
