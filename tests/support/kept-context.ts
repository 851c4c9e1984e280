import type { Browser, BrowserContext, CDPSession } from "@playwright/test";

const STORED = "local_storage,indexeddb,cache_storage,service_workers";

/**
 * One context per worker, emptied before each test: a new one doubles a page's cost. The HTTP cache stays, as for
 * people who share a browser.
 */
export class KeptContext {
  private baseUrl: string | undefined;
  private context: BrowserContext | undefined;
  private session: CDPSession | undefined;
  private readonly origins = new Set<string>();

  constructor(private readonly browser: Browser) {}

  /** Empties the context; another server gets another one. */
  async fresh(baseUrl: string): Promise<BrowserContext> {
    if (this.baseUrl !== baseUrl) await this.close();
    this.context ??= await this.make(baseUrl);
    await this.context.clearCookies();
    for (const origin of this.origins)
      await this.session?.send("Storage.clearDataForOrigin", { origin, storageTypes: STORED });
    this.origins.clear();
    return this.context;
  }

  private async make(baseURL: string): Promise<BrowserContext> {
    // Created within a test, it has the project's options.
    const context = await this.browser.newContext({ baseURL });
    this.baseUrl = baseURL;
    // Keeps the window open, and with it the server's renderer process: the tests' pages share its compiled scripts.
    const page = await context.newPage();
    await page.goto("/icon.svg");
    this.session = await context.newCDPSession(page);
    context.on("framenavigated", (frame) => {
      if (/^https?:/.test(frame.url())) this.origins.add(new URL(frame.url()).origin);
    });
    return context;
  }

  async close(): Promise<void> {
    await this.context?.close();
    this.context = undefined;
    this.baseUrl = undefined;
    this.origins.clear();
  }
}
