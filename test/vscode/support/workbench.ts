import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A workbench of ten megabytes of script on two busy cores; nothing waits for it that comes at all. */
export const PATIENCE = 120_000;

/** How often an agent is chosen again when VS Code does not accept it. */
const CHOICES = 10;

/** How long one click on a menu may take; another follows if the menu stays open. */
const CLICK_TIMEOUT = 1_000;

/** A person at a window of VS Code, with the chat and its list of sessions over the whole of it. */
export class Workbench {
  readonly page: Page;
  readonly #context: BrowserContext;
  /** What comes from the console of the browser, for the message of a test that fails. */
  readonly console: string[] = [];

  static async open(browser: Browser, address: string, viewport = { width: 1280, height: 900 }): Promise<Workbench> {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    context.setDefaultTimeout(PATIENCE);
    const workbench = new Workbench(await context.newPage(), context);
    await workbench.page.goto(address);
    // The list of sessions has no place of its own in a narrow chat.
    await workbench.page.locator('.part.auxiliarybar [aria-label*="Maximize"]').first().click();
    return workbench;
  }

  private constructor(page: Page, context: BrowserContext) {
    this.page = page;
    this.#context = context;
    page.on('console', (message) => {
      this.console.push(message.text());
      if (this.console.length > 200) this.console.shift();
    });
  }

  /** The rows of the list, by what they show. */
  row(text: string | RegExp): Locator {
    return this.page.locator('.agent-session-item').filter({ hasText: text });
  }

  async openSession(title: string): Promise<void> {
    await this.row(title).first().click();
    await this.page.locator('.chat-view-title-container').getByText(title).first().waitFor();
  }

  /** With the agent that VS Code offers under this name. */
  async newSession(agent: string): Promise<void> {
    await this.page.getByText('New Session', { exact: true }).first().click();
    const picker = this.page.locator('.chat-session-target-picker-item').filter({ visible: true }).first();
    const chosen = this.page.getByText(`Chat with ${agent}`).filter({ visible: true }).first();
    // VS Code may still be busy with what was chosen before, and then forgets the choice.
    for (let tries = 1; !(await chosen.isVisible()); tries++) {
      const timeout = tries < CHOICES ? PATIENCE / CHOICES : PATIENCE;
      try {
        const offered = this.page.locator('.action-widget').getByText(agent, { exact: true }).last();
        if (!(await offered.isVisible())) await picker.click({ timeout });
        // Also where an earlier choice still covers it: then this closes that one.
        await offered.click({ timeout, force: true });
        await chosen.waitFor({ timeout });
      } catch (error) {
        if (tries >= CHOICES) throw error;
      }
    }
  }

  /** From the menu of its row in the list. */
  async rename(title: string, other: string): Promise<void> {
    await this.row(title).first().click({ button: 'right' });
    await this.#choose(/^Rename/);
    const input = this.page.locator('.quick-input-widget input').filter({ visible: true });
    await input.fill(other);
    await input.press('Enter');
  }

  /** A file of the folder that is open. */
  async attach(name: string): Promise<void> {
    await this.composer.locator('[aria-label*="Add Context"]').first().click();
    const picker = this.page.locator('.quick-input-widget').filter({ visible: true });
    await picker.getByText('Files & Folders', { exact: false }).first().click();
    await picker.locator('input').first().fill(name);
    await picker.locator('.monaco-list-row').filter({ hasText: name }).first().click();
    await this.composer.locator('.chat-attached-context-attachment').filter({ hasText: name }).waitFor();
  }

  get composer(): Locator {
    return this.page.locator('.interactive-input-part').filter({ visible: true }).first();
  }

  /** The name of the model that the next message is for. */
  model(name: string): Locator {
    return this.composer.getByText(name, { exact: true });
  }

  /** What can be chosen below the composer, by the value that it has. */
  choice(value: string): Locator {
    return this.page.locator('.agent-host-chat-input-picker-slot').filter({ hasText: value, visible: true }).first();
  }

  /** Another value for what has this one. */
  async choose(value: string, other: string): Promise<void> {
    const offered = this.page.locator('.action-widget .monaco-list-row').filter({ hasText: other, visible: true });
    await expect
      .poll(
        async () => {
          if (await this.choice(other).isVisible()) return true;
          if (!(await offered.first().isVisible()))
            await this.choice(value)
              .click({ timeout: CLICK_TIMEOUT })
              .catch(() => {});
          await offered
            .first()
            .click({ timeout: CLICK_TIMEOUT })
            .catch(() => {});
          return false;
        },
        { timeout: PATIENCE, interval: 500 },
      )
      .toBe(true);
  }

  /** What is offered while something is written. */
  get suggestions(): Locator {
    return this.page.locator('.suggest-widget .monaco-list-row').filter({ visible: true });
  }

  /** A new chat with the turns before this message, counted from 0. */
  async fork(message: number): Promise<void> {
    const request = this.conversation.locator('.interactive-request').nth(message);
    await request.hover();
    await request
      .getByRole('button', { name: /^Fork Conversation/ })
      .first()
      .click();
  }

  /** Goes back to before this message, counted from 0; with edits after it VS Code asks once more. */
  async restoreCheckpoint(message: number, { hasEdits = false } = {}): Promise<void> {
    const request = this.conversation.locator('.interactive-request').nth(message);
    await request.hover();
    await request.getByText(/^(Restore Checkpoint|Start Over)$/).click();
    if (hasEdits) await request.getByText('Discard Edits').click();
  }

  /** What is written so far stays in place when it isn't sent. */
  async write(text: string): Promise<void> {
    await this.page.locator('.interactive-input-editor').filter({ visible: true }).first().click();
    await this.page.keyboard.insertText(text);
  }

  async send(text: string): Promise<void> {
    await this.write(text);
    await this.page.keyboard.press('Enter');
  }

  /** What is on the screen of the open conversation. */
  get conversation(): Locator {
    return this.page.locator('.interactive-session .interactive-list').filter({ visible: true });
  }

  /** The newest answer. */
  get answer(): Locator {
    return this.conversation.locator('.interactive-response').last();
  }

  /** Waits until the conversation shows this. */
  async shows(text: string | RegExp): Promise<void> {
    await this.conversation.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** What the newest answer did is folded when it is over. */
  async unfold(): Promise<void> {
    for (const folded of ['.completed-response-summary', '.chat-thinking-box .chat-used-context-label a']) {
      const label = this.answer.locator(folded).filter({ visible: true });
      if ((await label.count()) > 0) await label.first().click();
    }
  }

  /** A button of what is asked. */
  async press(label: string): Promise<void> {
    await this.button(label).click();
  }

  /** An answer that is offered behind the first one. */
  async pressMore(label: string): Promise<void> {
    const more = this.page.locator('.interactive-session .monaco-dropdown-button').filter({ visible: true });
    await more.first().click();
    await this.#choose(label);
  }

  /** An entry of the open menu. VS Code ignores clicks during a menu's first 100 ms; one that it takes closes the menu. */
  async #choose(name: string | RegExp): Promise<void> {
    const entry = this.page.getByRole('menuitem', { name });
    await entry.waitFor();
    const clicked = async () => {
      if (!(await entry.isVisible())) return true;
      await entry.click({ timeout: CLICK_TIMEOUT }).catch(() => {});
      return false;
    };
    await expect.poll(clicked, { timeout: PATIENCE, interval: 200 }).toBe(true);
  }

  /** Closes what a failed test may have left open, so that the next test can click. */
  async closeMenus(): Promise<void> {
    const open = this.page.locator('.monaco-menu, .action-widget, .quick-input-widget').filter({ visible: true });
    const closed = async () => {
      if ((await open.count()) === 0) return true;
      await this.page.keyboard.press('Escape');
      return false;
    };
    await expect.poll(closed, { timeout: PATIENCE, interval: 200 }).toBe(true);
  }

  /** What a call that waits for an answer is about; the editor writes spaces that do not break. */
  async asked(): Promise<string> {
    const texts = await this.page
      .locator('.chat-confirmation-widget-message')
      .filter({ visible: true })
      .allInnerTexts();
    return texts.join('\n').replaceAll('\u00a0', ' ');
  }

  button(label: string): Locator {
    return this.page.locator('.interactive-session .monaco-button').filter({ visible: true, hasText: label }).first();
  }

  /** Picks this answer to what an agent asks. */
  async answerQuestion(answer: string): Promise<void> {
    const asked = this.page.locator('.chat-question-carousel-container').filter({ visible: true });
    await asked.getByText(answer, { exact: true }).first().click();
    const submit = asked.getByRole('button', { name: /Submit/ }).filter({ visible: true });
    if ((await submit.count()) > 0) await submit.first().click();
  }

  /** What one tool call changed, from where the answer names the file. */
  async openEdit(name: string): Promise<void> {
    await this.answer.locator('.chat-codeblock-pill-widget').getByText(name).first().click();
  }

  /** All changes of the session, from where they are counted above the composer. */
  async openChanges(): Promise<void> {
    await this.page.locator('.agent-host-session-input-pills').getByText(/File/).first().click();
  }

  /** What the editor compares, line by line. */
  async diff(): Promise<{ before: string[]; after: string[] }> {
    const lines = (side: string) =>
      this.page
        .locator(`.part.editor .monaco-diff-editor .editor.${side} .lines-content > .view-lines .view-line`)
        .allInnerTexts();
    return { before: spaced(await lines('original')), after: spaced(await lines('modified')) };
  }

  async closeChanges(): Promise<void> {
    await this.page.locator('.part.editor .tab [aria-label^="Close"]').first().click();
    await this.page.locator('.part.auxiliarybar [aria-label*="Maximize"]').first().click();
  }

  async stop(): Promise<void> {
    await this.page.locator('.chat-execute-toolbar [aria-label^="Cancel"]').filter({ visible: true }).click();
  }

  /** No turn runs, as far as this window knows. */
  async idle(): Promise<void> {
    await this.page.locator('.chat-execute-toolbar [aria-label^="Send"]').filter({ visible: true }).first().waitFor();
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}

/** The editor writes spaces that do not break. */
function spaced(lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll('\u00a0', ' ')).filter((line) => line !== '');
}
