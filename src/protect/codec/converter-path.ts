// The converter of failures as a path, because the SDK of Temporal loads it by its path.
import { join } from 'node:path';
import { DIST_DIR } from '../../core/build.ts';

/** Compiled, also when the rest runs from its sources. */
export const FAILURE_CONVERTER_PATH = join(DIST_DIR, 'src/protect/codec/failure-converter.js');
