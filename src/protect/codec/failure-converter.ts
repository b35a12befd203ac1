// Puts message and stack of failures into a payload, so that the codec encrypts them too. Temporal's SDK loads this
// file by its path, in workers and in the bundle of workflows for encrypted histories.
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
