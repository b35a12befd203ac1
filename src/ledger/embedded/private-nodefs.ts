// Files of the embedded database that only their owner can read. PGlite runs PostgreSQL in WebAssembly, where files are
// made with mode 0666 and then set to it with chmod, so that the umask of this process has no say.
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** What the group and others may do is cut out of every mode. */
const OWNER_ONLY = ~0o077;

export class PrivateNodeFS extends NodeFS {
  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...args);
    const preRun = (module: Parameters<NonNullable<typeof emscriptenOpts.preRun>[number]>[0]) => {
      const { FS } = module;
      const chmod = FS.chmod.bind(FS);
      FS.chmod = (path: string, mode: number, dontFollow?: boolean) =>
        chmod(path, mode & OWNER_ONLY, dontFollow);
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [preRun, ...(emscriptenOpts.preRun ?? [])] } };
  }
}
