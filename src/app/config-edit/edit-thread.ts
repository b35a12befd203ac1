// The thread that parses and checks edits of the configuration that users sent, one at a time. See run-edit.ts.
import { serveThread } from '../../core/thread.ts';
import { answerEdit } from './edits.ts';

serveThread(answerEdit);
