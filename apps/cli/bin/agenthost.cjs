#!/usr/bin/env node
// Written for every Node that there is, so that an old one can say what is wrong instead of failing at the syntax: no import, no
// const, no arrow function. test/e2e/programs/oldNode.test.ts runs it.
'use strict';

var NEEDED = 24;
var version = process.versions.node;
var what = 'agenthost needs Node ' + NEEDED + ' or newer, and this is Node ' + version;

if (parseInt(version, 10) >= NEEDED) {
  // A file of its own, because old versions can't parse what it contains.
  require('./start.cjs');
} else {
  process.stderr.write(what + ': install it from https://nodejs.org, then run the command again.\n');
  // "Could not start", as in docs/cli.md.
  process.exitCode = 3;
}
