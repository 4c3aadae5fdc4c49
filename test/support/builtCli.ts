import { bundleCli } from '../../scripts/bundleCli.ts';

/** Without `npm test`, only `tsc -b` may have run. */
export default async function setup(): Promise<void> {
  await bundleCli();
}
