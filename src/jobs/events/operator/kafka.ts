// The parts of this folder that need the Kafka client. They are imported at use: most commands need none of them.

import type { OperatorLog } from '../../../operator/service/deps.ts';
import { markerMessage, produce } from '../ingress/kafka/index.ts';
import { createListings, kafkaFailure, openBox, placeOf, readBox, summaryOf } from './box.ts';
import { chooseDeadLetters, noDeadLetter } from './choose.ts';
import { dryRun, routeOf } from './dry-run.ts';
import { kafkaLag } from './lag.ts';
import { createReplays } from './replay.ts';

export function kafkaParts(log: OperatorLog) {
  return {
    listing: createListings(),
    replays: createReplays(log),
    chooseDeadLetters,
    dryRun,
    kafkaFailure,
    kafkaLag,
    markerMessage,
    noDeadLetter,
    openBox,
    placeOf,
    produce,
    readBox,
    routeOf,
    summaryOf,
  };
}
