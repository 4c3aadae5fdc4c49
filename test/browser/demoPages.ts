import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchBrowser } from '../support/browser/browser.js';
import { type DemoHost, startDemoHost } from '../support/browser/demoHost.js';

/** A real browser and a host with the sessions of the demo, for all tests of a file. */
export function useDemoPages() {
  let browser: Browser;
  let demo: DemoHost;
  beforeAll(async () => {
    [browser, demo] = await Promise.all([launchBrowser(), startDemoHost()]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await demo?.dispose();
  });
  return {
    get browser(): Browser {
      return browser;
    },
    get demo(): DemoHost {
      return demo;
    },
  };
}
