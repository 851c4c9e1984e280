import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import type { Role } from "~/core/actor";
import { startServer, type TestServer } from "./server";

const WCAG_22_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

interface Options {
  /** Who is signed in; undefined for nobody. Set it with `test.use`. */
  role: Role | undefined;
}

interface Workers {
  /** A built server with people of every role, one for each of Playwright's workers. */
  server: TestServer;
}

export const test = base.extend<Options, Workers>({
  role: [undefined, { option: true }],
  server: [
    async ({ playwright: _ }, use) => {
      const server = await startServer();
      await use(server);
      await server.close();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseURL: async ({ server }, use) => use(server.baseUrl),
  storageState: async ({ server, role }, use) => {
    if (!role) return use({ cookies: [], origins: [] });
    const [name = "", value = ""] = server.cookieOf(role).split("=");
    const { hostname } = new URL(server.baseUrl);
    const cookie = { name, value, domain: hostname, path: "/", expires: -1, httpOnly: true, secure: false };
    await use({ cookies: [{ ...cookie, sameSite: "Lax" }], origins: [] });
  },
});

export { expect };

/** Expects that axe finds nothing on the page as it stands, in the dark and the light theme. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await new AxeBuilder({ page }).withTags(WCAG_22_AA).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
    expect(found, `${colorScheme} theme of ${page.url()}`).toEqual([]);
  }
}
