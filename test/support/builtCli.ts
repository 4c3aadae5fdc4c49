import { bundleCli } from '../../scripts/bundleCli.ts';

/** Whoever runs the tests without `npm test` has run `tsc -b` at most. */
export default async function setup(): Promise<void> {
  await bundleCli();
}
