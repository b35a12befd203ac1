// Starts the console in the page.
import { createRoot } from 'react-dom/client';
import './app/styles.ts';
import { publishNonce } from './app/nonce.ts';
import { Providers } from './app/providers.tsx';
import { startI18n } from './i18n/index.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');
publishNonce();
await startI18n();
createRoot(root).render(<Providers />);
