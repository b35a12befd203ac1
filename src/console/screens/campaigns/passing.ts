// Failures of members that pass by themselves.
/** Failures that pass by themselves. Others come back until somebody removes their cause. */
const PASSING = /^(?:HTTP_5\d\d|TRANSPORT_\w+|INTERNAL)$/;

export const isPassing = (code: string) => PASSING.test(code);
