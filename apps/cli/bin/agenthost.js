#!/usr/bin/env node
// npm links a command when it installs, if its file is there; what is built comes after that.
await import('../dist/main.js');
