import type { Browser, BrowserContext, CDPSession } from "@playwright/test";

const STORED = "local_storage,indexeddb,cache_storage,service_workers";

/**
 * One browser context for the tests of a worker, emptied of cookies and stored data before each. A new one would make
 * each page cost twice as much: its window, and scripts and fonts that are fetched and compiled again. What the browser
 * caches as the server's headers allow stays, as it does where one person signs out and another signs in.
 */
export class KeptContext {
  private baseUrl: string | undefined;
  private context: BrowserContext | undefined;
  private session: CDPSession | undefined;
  private readonly origins = new Set<string>();

  constructor(private readonly browser: Browser) {}

  /** The context as someone finds it who was never here. Another server than before has another context. */
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
    // Made while a test runs, it has the options of its project.
    const context = await this.browser.newContext({ baseURL });
    this.baseUrl = baseURL;
    // An empty page of its own, so that the window stays open between two tests.
    this.session = await context.newCDPSession(await context.newPage());
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
