import { mkdirSync } from "node:fs";
import { chromium } from "@playwright/test";
import playwright from "./playwright.config";
import { findChromium } from "./tests/support/chromium";
import { startServer } from "./tests/support/server";
const TABS = ["branding","providers","advanced","profile","environment","keys","members","system"].map((t) => `/settings/${t}`);
const OTHER = ["/", "/usage", "/usage/budgets", "/audit"];
const server = await startServer({ env: { SMTP_URL: "smtp://127.0.0.1:9" } });
const browser = await chromium.launch({ executablePath: await findChromium(), args: playwright.use?.launchOptions?.args ?? [] });
const context = await browser.newContext();
const [name = "", value = ""] = server.cookieOf("owner").split("=");
await context.addCookies([{ name, value, url: server.baseUrl }]);
const page = await context.newPage();
await page.emulateMedia({ reducedMotion: "reduce" });
async function shoot(brand: string, paths: string[]) {
  for (const path of paths) {
    await page.goto(server.baseUrl + path);
    await page.locator("html[data-scripted], html[data-plain]").waitFor({ state: "attached" });
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: width < 800 ? 844 : 900 });
      for (const theme of ["dark", "light"]) {
        await page.evaluate((n) => { document.documentElement.dataset.theme = n; }, theme);
        mkdirSync(`/tmp/ops-shots/${brand}`, { recursive: true });
        await page.screenshot({ path: `/tmp/ops-shots/${brand}/${path.replace(/\W+/g, "-")}-${width}-${theme}.png`, fullPage: true });
      }
    }
  }
}
try {
  await shoot("own", [...OTHER, ...TABS]);
  const r = await server.ask("/api/branding", { as: "owner", method: "PUT", json: { appName: "Harbor Desk", tagline: "One desk for every model", primaryColor: "#d97706", secondaryColor: "#0d9488", accentColor: "#db2777", backgroundColor: "#101b2d", textColor: "#f8fafc", fontFamily: "Montserrat", borderRadius: 2, glassEffect: false, backgroundPattern: "dots" } });
  console.log(r.status);
  await shoot("harbor", [...OTHER, ...TABS]);
  await context.clearCookies();
  await shoot("harbor-out", ["/", "/login?local=1", "/docs/api"]);
} finally {
  await browser.close();
  await server.close();
}
