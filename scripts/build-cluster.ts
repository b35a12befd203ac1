// Part of the build: makes the files that an embedded ledger begins with.
import { buildCluster } from '../src/ledger/cluster.ts';

await buildCluster();
