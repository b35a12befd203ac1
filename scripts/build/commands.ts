// Writes the tree of commands beside the command line (see src/cli/lib/shape.ts). Part of the build.
import { writeFile } from 'node:fs/promises';
import { shapeOf } from '../../src/cli/lib/shape.ts';
import { createProgram } from '../../src/cli/program.ts';

const program = await createProgram({ version: '', json: false }, {});
const file = new URL('../../src/cli/commands.json', import.meta.url);
await writeFile(file, JSON.stringify(shapeOf(program).commands));
