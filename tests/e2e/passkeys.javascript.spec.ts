import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Browser, CDPSession, Page } from "@playwright/test";
import { TOTP } from "otpauth";
import { expect, expectAccessible, test } from "../support/fixtures";
import { people } from "../support/people";
import { startServer, type TestServer } from "../support/server";

async function freePort(): Promise<string> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return String(port);
}

interface Opened {
  page: Page;
  server: TestServer;
  origin: string;
  devtools: CDPSession;
  authenticatorId: string;
}

/** A console where browsers allow passkeys, and a browser with a device for them. */
async function withPasskeys(browser: Browser, walk: (opened: Opened) => Promise<void>) {
  const PORT = await freePort();
  const origin = `http://localhost:${PORT}`;
  const server = await startServer({ env: { PORT, PUBLIC_URL: origin } });
  const context = await browser.newContext({ baseURL: origin });
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await walk({ page, server, origin, devtools, authenticatorId });
  } finally {
    await context.close();
    await server.close();
  }
}

async function signIn(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
}

test("a member adds a passkey and signs in with it, and sets up an authenticator app", async ({
  browser,
}) => {
  const { password } = people.member;
  await withPasskeys(browser, async ({ page, origin, devtools, authenticatorId }) => {
    const context = page.context();
    await page.goto("/login?returnTo=/settings/profile");
    const offered = page.getByRole("button", { name: "Sign In with a Passkey" });
    await expect(offered).toBeVisible();
    await expectAccessible(page);
    await signIn(page, people.member);

    await page.getByRole("link", { name: "Add Passkey" }).click();
    const dialog = page.getByRole("dialog", { name: "Add Passkey" });
    await expect(dialog.getByLabel("Name")).toBeFocused();
    await dialog.getByLabel("Name").fill("Work laptop");
    await dialog.getByLabel(/^Your password/).fill(password);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await expect(dialog).toContainText("Work laptop");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Create Passkey" }).click();
    const list = page.getByRole("list", { name: "Passkeys" });
    await expect(list).toContainText("Work laptop");
    await expect(list).toContainText("never used");

    // The browser offers it at the email's field; the simulated person takes it at once.
    await context.clearCookies();
    await page.goto("/login?returnTo=/personas");
    await expect(page).toHaveURL(`${origin}/personas`);

    await context.clearCookies();
    // A browser that can't offer it there has the button.
    await page.addInitScript(() => {
      if (location.search.includes("profile"))
        Reflect.deleteProperty(PublicKeyCredential, "isConditionalMediationAvailable");
    });
    await page.goto("/login?returnTo=/settings/profile");
    await offered.click();
    await expect(page).toHaveURL(`${origin}/settings/profile`);
    await expect(list).toContainText("last used");

    await page.getByRole("link", { name: "Set Up" }).click();
    const setup = page.getByRole("dialog", { name: "Set Up Authenticator App" });
    await setup.getByLabel(/^Your password/).fill(password);
    await setup.getByRole("button", { name: "Continue" }).click();
    await expect(setup.getByRole("img", { name: "QR code for the authenticator app" })).toBeVisible();
    await expectAccessible(page);
    const secret = ((await setup.locator("code").textContent()) ?? "").replaceAll(" ", "");
    await setup.getByRole("textbox", { name: "Code" }).fill(new TOTP({ secret }).generate());
    await setup.getByRole("button", { name: "Confirm" }).click();
    const codes = page.getByRole("dialog", { name: "Recovery Codes" });
    await expect(codes.getByRole("listitem")).toHaveCount(10);
    await expectAccessible(page);
    await codes.getByRole("link", { name: "Done" }).click();
    await expect(page.getByText("10 recovery codes left")).toBeVisible();

    // A passkey whose device has lost it: the browser says so, and the password is still there.
    await devtools.send("WebAuthn.clearCredentials", { authenticatorId });
    await context.clearCookies();
    await page.goto("/login");
    await offered.click();
    await expect(page.getByRole("alert")).toContainText("No passkey was used");
    await signIn(page, people.member);
    await expect(page.getByRole("heading", { name: "Enter your code" })).toBeVisible();
    await expectAccessible(page);
  });
});

test("a member who must have a second factor adds a passkey before anything else", async ({ browser }) => {
  await withPasskeys(browser, async ({ page, server, origin }) => {
    const security = { requireSecondFactor: true };
    const settings = { as: "owner", method: "PUT", json: { security } } as const;
    expect((await server.ask("/api/settings/advanced", settings)).status).toBe(200);
    await page.goto("/login?returnTo=/personas");
    await signIn(page, people.viewer);
    await expect(page.getByRole("heading", { name: "Set up a second factor" })).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel(/^Your password/).fill(people.viewer.password);
    await page.getByRole("button", { name: "Add Passkey" }).click();
    await expect(page.getByRole("heading", { name: "Add a passkey" })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create Passkey" }).click();
    await expect(page).toHaveURL(`${origin}/personas`);
  });
});
