import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const BUILT = join(import.meta.dirname, '../../../packages/host/dist');

/** The command runs a bundle of the host. In a process with these lines it runs the modules that the bundle is made of. */
export const WITHOUT_BUNDLE = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => next(name.replace('@agenthost/host/bundled', '@agenthost/host'), context) });`;

/**
 * The environment of a host process in which a module of the host is altered before anything runs: the real command, with one
 * promise less, say. `alter` runs over there, so that it can use nothing but the module it is given.
 */
export function altered<M>(module: string, alter: (module: M) => void): Readonly<Record<string, string>> {
  return preload(`${WITHOUT_BUNDLE}
const module = await import(${JSON.stringify(pathToFileURL(join(BUILT, module)).href)});
(${alter.toString()})(module);`);
}

/** Runs these lines in the process before anything else. */
export function preload(lines: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(lines)}` };
}

/** Acknowledges what it has not stored yet. */
export const acknowledgesFirst = altered('state/delivery.js', ({ Delivery }: DeliveryModule) => {
  Delivery.prototype.requireStored = () => {};
});

interface DeliveryModule {
  readonly Delivery: { readonly prototype: { requireStored: () => void } };
}
