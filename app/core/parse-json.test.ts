import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const OWN = [
  /\/components\//,
  /\.test\.tsx?$/,
  /^app\/core\/(packs|well-formed)\.ts$/,
  /^app\/platform\/audit\/verify\.service\.server\.ts$/,
  /^app\/work\/chat\/(conversations|renderings)\.service\.server\.ts$/,
  /^app\/work\/chat\/transfer\/export\.service\.server\.ts$/,
  /^app\/work\/chat\/answer\/active-generation\.server\.ts$/,
  /^app\/ai\/gateway\/call-body\.ts$/,
  /^app\/work\/documents\/versions\/document-parts\.service\.server\.ts$/,
  /^app\/work\/extraction\/stored-versions\.thread\.ts$/,
  /^app\/work\/search\/retrieval\/chunks\.queries\.ts$/,
  // Texts are cut between events, and cleaned as parts.
  /^app\/ai\/models\/model-stream\.server\.ts$/,
  /^app\/http\/(signing-in|toast)\.server\.ts$/,
  // Problems and events of the console itself.
  /^app\/ai\/tools\/stream-event\.shared\.ts$/,
  /^app\/ui\/failures\.ts$/,
  // What it stored itself, of one tab.
  /^app\/ui\/kept-over-sign-in\.ts$/,
  // Cleaned when it is rendered.
  /^app\/ui\/result-view\.tsx$/,
];

it("parses JSON from outside in one way, which makes its texts well formed", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" })
    .map((name) => join("app", name))
    .filter((name) => /\.tsx?$/.test(name));
  const parsing = files.filter((name) => /JSON\.parse\(|\.json\(\)/.test(readFileSync(name, "utf8")));
  expect(parsing.filter((name) => !OWN.some((own) => own.test(name)))).toEqual([]);
  expect(OWN.filter((own) => !parsing.some((name) => own.test(name)))).toEqual([]);
});
