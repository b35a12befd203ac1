// The parts of this folder that need the Kafka client. They are imported at use: most commands need none of them.

export { markerMessage, produce } from '../../../ingress/kafka/index.ts';
export { createListings, kafkaFailure, openBox, placeOf, readBox, summaryOf } from './box.ts';
export { chooseDeadLetters, noDeadLetter } from './choose.ts';
export { dryRun } from './dry-run.ts';
export { kafkaLag } from './lag.ts';
export { createReplays } from './replay.ts';
