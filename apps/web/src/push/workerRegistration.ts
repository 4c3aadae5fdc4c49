import { serviceWorkerUrl } from '../markdown/startWorker.js';

/** `undefined` where the browser has no service workers, or refuses this one; the page works without. */
let registering: Promise<ServiceWorkerRegistration | undefined> | undefined;

/**
 * Registers the page's service worker, once. The development server has none. The browser looks for a new one with each visit and never
 * takes it from its cache.
 */
export function workerRegistration(): Promise<ServiceWorkerRegistration | undefined> {
  registering ??= register();
  return registering;
}

async function register(): Promise<ServiceWorkerRegistration | undefined> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return undefined;
  try {
    await navigator.serviceWorker.register(serviceWorkerUrl(), { scope: '/', updateViaCache: 'none' });
    return await navigator.serviceWorker.ready;
  } catch {
    return undefined;
  }
}
