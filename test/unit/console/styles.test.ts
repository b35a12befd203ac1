// The styles of components are imported one by one: a component without its line would stand there unstyled.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const CONSOLE = join(ROOT, 'src/console');

it('every Mantine component in use has its styles', async () => {
  const files = (await readdir(CONSOLE, { recursive: true })).filter((file) => file.endsWith('.tsx'));
  const sources = await Promise.all(files.map((file) => readFile(join(CONSOLE, file), 'utf8')));
  const styles = [await readFile(join(CONSOLE, 'app/styles.ts'), 'utf8'), ...sources].join('\n');
  const used = sources.flatMap((source) =>
    [...source.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim().replace(/^type /, '')),
    ),
  );
  const withStyles = [...new Set(used)].filter((name) =>
    existsSync(join(ROOT, `node_modules/@mantine/core/styles/${name}.css`)),
  );
  expect(withStyles).toContain('Button');
  expect(withStyles.filter((name) => !styles.includes(`/${name}.css'`))).toEqual([]);
});
