import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const EXEMPT = [/\/components\//, /\.test\.tsx?$/];

/** Files that parse without it, and how many times each does. */
const OWN: readonly (readonly [file: RegExp, uses: number])[] = [
  [/^app\/core\/packs\.ts$/, 1],
  [/^app\/core\/well-formed\.ts$/, 2],
  [/^app\/platform\/audit\/audit-head\.server\.ts$/, 1],
  [/^app\/work\/chat\/(conversations|renderings)\.service\.server\.ts$/, 1],
  [/^app\/work\/chat\/transfer\/export\.service\.server\.ts$/, 1],
  [/^app\/work\/chat\/answer\/active-generation\.server\.ts$/, 2],
  [/^app\/work\/documents\/versions\/document-parts\.service\.server\.ts$/, 1],
  [/^app\/work\/extraction\/stored-versions\.thread\.ts$/, 1],
  [/^app\/work\/search\/retrieval\/chunks\.queries\.ts$/, 1],
  // Texts are cut between events, and cleaned as parts.
  [/^app\/ai\/models\/(model-stream\.server|providers\/chat-completion)\.ts$/, 1],
  [/^app\/http\/toast\.server\.ts$/, 1],
  // Problems and events of the console itself.
  [/^app\/ai\/tools\/stream-event\.shared\.ts$/, 1],
  [/^app\/ui\/failures\.ts$/, 1],
  // The build's own manifest.
  [/^app\/http\/base-path\.server\.ts$/, 1],
  // What it stored itself, of one tab.
  [/^app\/ui\/kept-over-sign-in\.ts$/, 1],
  // Cleaned when it is rendered.
  [/^app\/ui\/result-view\.tsx$/, 1],
  // What it stored itself.
  [/^app\/work\/search\/(search|surroundings)\.service\.server\.ts$/, 1],
];

it("parses JSON from outside in one way, which makes its texts well formed", () => {
  const parsing = readdirSync("app", { recursive: true, encoding: "utf8" })
    .map((name) => join("app", name))
    .filter((name) => /\.tsx?$/.test(name) && !EXEMPT.some((exempt) => exempt.test(name)))
    .map((name) => ({
      name,
      uses: readFileSync(name, "utf8").match(/JSON\.parse\(|\.json\(\)/g)?.length ?? 0,
    }))
    .filter(({ uses }) => uses > 0);
  const allowed = (name: string) => OWN.find(([file]) => file.test(name))?.[1] ?? 0;
  expect(parsing.filter(({ name, uses }) => uses !== allowed(name))).toEqual([]);
  expect(OWN.filter(([file]) => !parsing.some(({ name }) => file.test(name)))).toEqual([]);
});
