// The end of `.ci/run`: what failed, once more, what was skipped, and the counts in the last line.
// Arguments: what the tests left behind, then the reports of the suites.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [left, ...files] = process.argv.slice(2);
const counts = { passed: 0, failed: 0, skipped: 0 };
const report = (where, why) => {
  console.log(`FAILED ${where}\n${why.slice(0, 1500)}`);
};

for (const file of files) {
  // The suite did not even start.
  if (!existsSync(file)) {
    counts.failed += 1;
    continue;
  }
  const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, success, testResults } =
    JSON.parse(readFileSync(file, 'utf8'));
  counts.passed += numPassedTests;
  counts.skipped += numPendingTests;
  for (const { name, status, message, assertionResults } of testResults) {
    const tests = assertionResults.filter((each) => each.status === 'failed');
    for (const { fullName, failureMessages } of tests)
      report(`${relative('', name)}: ${fullName}`, failureMessages.join('\n'));
    if (status === 'failed' && tests.length === 0) report(relative('', name), message);
  }
  // A suite that could not even load has no failed test of its own. Neither has an error outside of the tests.
  counts.failed += numFailedTests > 0 || success ? numFailedTests : Math.max(1, numFailedTestSuites);
}
if (left !== '') {
  counts.failed += 1;
  report('tests left something behind', left);
}
if (counts.skipped > 0) console.log(`${counts.skipped} skipped, for the reasons above`);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;
