/**
 * Starts the server, and then the rest of the page: this file and `server_worker.ts` are small and come first. A worker starts
 * when the page has nothing else to do, so the rest is not evaluated before the worker is under way.
 */

import './server_worker.js';

void import('./main.js');
