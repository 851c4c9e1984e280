/** Finds the browser that the tests, the pictures and the benchmarks use. */
export { findChromium } from "../../scripts/chromium.mjs";
