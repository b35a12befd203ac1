// Part of the build: makes the files that an embedded ledger begins with.
import { buildCluster } from '../../src/core/sql/embedded/cluster.ts';

await buildCluster();
