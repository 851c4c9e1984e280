import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { zipSync } from "fflate";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openExport } from "./export-file.server";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "export-file-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function store(content: Uint8Array | string): string {
  const path = join(folder, "upload");
  writeFileSync(path, content);
  return path;
}
const zip = (files: Record<string, string | Uint8Array>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)])));

/** Name and content of each file that is read. */
async function contentsOf(upload: Uint8Array | string) {
  const { files, size, close } = await openExport(store(upload));
  const contents: [string | null, string][] = [];
  for (const { name, read } of files) contents.push([name, await text(read())]);
  close();
  return { contents, size };
}

it("reads a JSON file as it is", async () => {
  expect(await contentsOf("[1]")).toEqual({ contents: [[null, "[1]"]], size: 3 });
});

it("reads the parts of an archive in order, and only those with conversations", async () => {
  const files = {
    "x/conversations-010.json": "[10]",
    "x/conversations-2.json": "[2]",
    "x/user.json": "{}",
    "x/chat.html": "<p>",
    "x/conversations-1.json.png": "p",
    "__MACOSX/x/._conversations-2.json": "?",
  };
  expect(await contentsOf(zip(files))).toEqual({
    contents: [
      ["x/conversations-2.json", "[2]"],
      ["x/conversations-010.json", "[10]"],
    ],
    size: 7,
  });
});

it("reads any JSON file of an archive without conversations by name", async () => {
  const files = {
    "b.json": "[2]",
    "A.JSON": "[1]",
    ".hidden.json": "?",
    "__MACOSX/b.json": "?",
    "c.txt": "?",
  };
  expect((await contentsOf(zip(files))).contents).toEqual([
    ["A.JSON", "[1]"],
    ["b.json", "[2]"],
  ]);
});

/** An archive whose directory says something else in a field of its first entry. */
function forge(archive: Uint8Array, field: number, value: number, bytes: 2 | 4 = 4): Uint8Array {
  const copy = Buffer.from(archive);
  const entry = copy.indexOf("PK\x01\x02", "latin1");
  if (bytes === 2) copy.writeUInt16LE(value, entry + field);
  else copy.writeUInt32LE(value, entry + field);
  return copy;
}
const [FLAGS, SIZE] = [8, 24];
const one = () => zip({ "conversations.json": "[".repeat(1_000) });

it.each([
  ["without JSON", () => zip({ "a.txt": "" }), "has no JSON files"],
  ["that is cut off", () => one().subarray(0, 60), "is damaged"],
  ["of a path outside", () => zip({ "../conversations.json": "[]" }), "is damaged"],
  ["that is encrypted", () => forge(one(), FLAGS, 1, 2), "is encrypted"],
  ["that unpacks to more than it says", () => forge(one(), SIZE, 10), "is damaged"],
  ["that unpacks to too much", () => forge(one(), SIZE, 2_100_000_000), "more than 2 GB"],
  ["that is a bomb", () => zip({ "conversations.json": new Uint8Array(21_000_000) }), "ratio is unsafe"],
  [
    "of too many files",
    () => zip(Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`${n}.json`, ""]))),
    "more than 1,000 JSON files",
  ],
])("refuses an archive %s", async (_, archive, message) => {
  await expect(contentsOf(archive())).rejects.toThrow(message);
});
