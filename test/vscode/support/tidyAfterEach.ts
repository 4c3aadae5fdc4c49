import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { Workbench } from './workbench.ts';

const PICTURES = join(import.meta.dirname, '../../../.cache/vscode/failures');

/** For windows that several tests share: takes pictures of them when a test failed, and closes menus before the next test. */
export function tidyAfterEach(windows: () => readonly (Workbench | undefined)[]): void {
  afterEach(async ({ task }) => {
    const name = `${task.suite?.name ?? ''} ${task.name}`.replaceAll(/[^\w.]+/g, '-');
    for (const [index, window] of windows().entries()) {
      if (task.result?.state === 'fail') {
        await window?.page.screenshot({ path: join(PICTURES, `${name}-${index + 1}.png`) });
      }
      await window?.closeMenus();
    }
  });
}
