// Part of the build: makes the files that an embedded ledger begins with.
import { buildCluster } from '../../src/ledger/embedded/cluster.ts';

await buildCluster();
