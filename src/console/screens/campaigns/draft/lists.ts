// What the form offers: names of the configuration, and lists of the account once they are read.
import type { Output } from '../../../api/client.ts';

export type Choices = Output<'GET /campaign-drafts/choices'>;
export type Lists = Output<'POST /accounts/{account}/lists'>;
