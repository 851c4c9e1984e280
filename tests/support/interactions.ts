import { type Locator, type Page, test } from "@playwright/test";

/**
 * A person whose interactions are counted: each press of the mouse or of a key, each field that is typed into and each
 * choice is one, however long the text.
 */
export class Interactions {
  count = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async press(target: Locator): Promise<void> {
    this.count += 1;
    await target.click();
  }

  async fill(target: Locator, text: string): Promise<void> {
    this.count += 1;
    await target.fill(text);
  }

  async choose(target: Locator, option: string): Promise<void> {
    this.count += 1;
    await target.selectOption(option);
  }

  /** Presses a key where the focus is; on another control it counts twice, once for the way there. */
  async key(key: string, target?: Locator): Promise<void> {
    this.count += target ? 2 : 1;
    await (target ? target.press(key) : this.#page.keyboard.press(key));
  }

  /** Types where the focus is. */
  async type(text: string): Promise<void> {
    this.count += 1;
    await this.#page.keyboard.type(text);
  }

  /** Keeps a picture of the window with the test's results. */
  async picture(name: string): Promise<void> {
    const path = test.info().outputPath(`${name}.png`);
    await this.#page.screenshot({ path });
    await test.info().attach(name, { path, contentType: "image/png" });
  }
}
