import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { Workbench } from './workbench.ts';

const PICTURES = join(import.meta.dirname, '../../../.cache/vscode/failures');

/** For a window that several tests share: takes a picture of it when a test failed, and closes menus before the next test. */
export function tidyAfterEach(window: () => Workbench | undefined): void {
  afterEach(async ({ task }) => {
    const workbench = window();
    if (!workbench) return;
    if (task.result?.state === 'fail') {
      const name = `${task.suite?.name ?? ''} ${task.name}`.replaceAll(/[^\w.]+/g, '-');
      await workbench.page.screenshot({ path: join(PICTURES, `${name}.png`) });
    }
    await workbench.closeMenus();
  });
}
