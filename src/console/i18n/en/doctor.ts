// What the doctor found, in the sentences of the command line.
import { DOCTOR_SENTENCES } from '../../../operator/contract/doctor-sentences.ts';

export default { of: DOCTOR_SENTENCES };
