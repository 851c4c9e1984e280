/** Finds the browser that the tests, the pictures and the benchmarks use. */
export { type Browser, type BrowserContext, chromium, type Page, type Request } from "@playwright/test";
export { findChromium } from "../../scripts/chromium.mjs";
