import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readPaths } from "../tests/support/sitemap";

/** Addresses as they are written for links, forms, notices and redirects. */
const WRITTEN = /(?:\b(?:to|href|link|action)(?:=\{?|: )|\bredirect\(|=> )["'`](\/(?!\/)[^"'`\s]*)/g;

/** What is put in stands for one part of an address. */
const partsOf = (address: string) =>
  address
    .replaceAll(/\$\{[^}]*(?:\}|$)/g, "*")
    .replace(/[?#].*$/, "")
    .split("/")
    .slice(1);

/** An id is put in, and a fixed part is the route's own. */
function leads(to: readonly string[], path: readonly string[]): boolean {
  const fits = (part: string, at: number) => part.includes("*") || part === path[at];
  const needed = path.at(-1)?.endsWith("?") ? path.length - 1 : path.length;
  return to.length >= needed && to.length <= path.length && to.every(fits);
}

it("has a route for each address that is written by hand", async () => {
  const paths = (await readPaths()).filter((path) => path !== "/*").map((path) => path.split("/").slice(1));
  const nowhere: string[] = [];
  let written = 0;
  const files = readdirSync("app", { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => /(?<!\.test)\.tsx?$/.test(name)))
    for (const [, address = ""] of readFileSync(`app/${file}`, "utf8").matchAll(WRITTEN)) {
      if (address.startsWith("/api/")) continue;
      written += 1;
      if (!paths.some((path) => leads(partsOf(address), path))) nowhere.push(`${file}: ${address}`);
    }
  expect(written).toBeGreaterThan(200);
  expect(nowhere).toEqual([]);
});
