// Runs before the first paint, so that a page in dark mode does not flash white. It is a file because the policy of the
// page allows no inline script.
const stored = localStorage.getItem('sluice.color-scheme');
const dark = stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light';
