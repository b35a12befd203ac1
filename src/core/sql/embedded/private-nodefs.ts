// Makes the embedded database's files readable only for their owner. PGlite runs PostgreSQL in WebAssembly, which
// creates files with mode 0666 and sets it with chmod, so the umask of this process has no effect.
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** Removes the permissions of the group and of others from every mode. */
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
