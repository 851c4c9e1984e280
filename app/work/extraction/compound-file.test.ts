import { CFB } from "@e965/xlsx";
import { expect, it } from "vitest";
import { openCompoundFile } from "./compound-file";

/** @param streams contents by their path: `Storage/Stream` */
function makeFile(streams: Record<string, Uint8Array>): Buffer {
  const file = CFB.utils.cfb_new();
  for (const [path, content] of Object.entries(streams)) CFB.utils.cfb_add(file, path, content);
  return Buffer.from(CFB.write(file, { type: "buffer" }));
}
const namesOf = (file: Buffer) => openCompoundFile(file)?.names ?? new Set();
/** Without the entry that the library signs files by. */
const listed = (file: Buffer) => [...namesOf(file)].filter((name) => !name.includes("Sh33tJ5")).sort();

const NAMES = ["Workbook", "\u0005SummaryInformation", "Ctls", "_VBA", "CompObj", "Extra"];

it("lists what is at the top, not in embedded documents", () => {
  const streams = Object.fromEntries(NAMES.map((name) => [name, new Uint8Array(5000)]));
  const file = makeFile({ ...streams, "MBD0001/WordDocument": new Uint8Array(10) });
  expect(listed(file)).toEqual([...NAMES, "MBD0001"].sort());
});

it("follows the table of sectors beyond what the header names", () => {
  const SECTOR = 512;
  const directory = 109 * 128;
  const file = Buffer.alloc((directory + 3) * SECTOR);
  const write = (sector: number, at: number, value: number) =>
    file.writeUInt32LE(value, (sector + 1) * SECTOR + at);
  file.write("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "latin1");
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(directory, 48);
  // Sector 0 names sector 1 as the part of the table that has the directory's second sector.
  file.writeUInt32LE(0, 68);
  write(0, 0, 1);
  write(1, 0, directory + 1);
  write(1, 4, 0xfffffffe);
  // The root leads to the second entry, and that to the first one of the second sector.
  write(directory, 76, 1);
  write(directory, 128 + 68, 0xffffffff);
  write(directory, 128 + 72, 4);
  const entry = (directory + 2) * SECTOR;
  file.write("Workbook", entry, "utf16le");
  file.writeUInt16LE(18, entry + 64);
  file[entry + 66] = 2;
  expect(listed(file)).toEqual(["Workbook"]);
});

it("ends where sectors or entries follow themselves", () => {
  const file = makeFile(Object.fromEntries(NAMES.map((name) => [name, new Uint8Array(5000)])));
  const [table, directory] = [file.readUInt32LE(76), file.readUInt32LE(48)];
  file.writeUInt32LE(directory, (table + 1) * 512 + directory * 4);
  const root = (directory + 1) * 512;
  for (const link of [68, 72]) file.writeUInt32LE(1, root + 128 + link);
  expect(namesOf(file).size).toBeLessThan(NAMES.length);
});

it.each([
  ["nothing of another file", Buffer.from("PK\x03\x04")],
  ["nothing of a header alone", Buffer.from("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "latin1")],
  ["nothing with forged sectors", Buffer.from(makeFile({ Workbook: new Uint8Array(9) })).fill(0xff, 30, 80)],
])("finds %s", (_, file) => {
  expect(namesOf(file).size).toBe(0);
});

it.each([
  ["long", 76, 5000],
  ["short", 60, 300],
])("knows a circle of %s sectors", (_, table, length) => {
  const file = makeFile({ Workbook: new Uint8Array(length), Extra: new Uint8Array(5000) });
  expect(openCompoundFile(file)?.isCircular).toBe(false);
  const start = (file.readUInt32LE(table) + 1) * 512;
  const used = Array.from({ length: 128 }, (_, at) => at).filter(
    (at) => file.readUInt32LE(start + at * 4) === at + 1,
  );
  file.writeUInt32LE(used[0] ?? 0, start + (used[1] ?? 0) * 4);
  expect(openCompoundFile(file)?.isCircular).toBe(true);
});

it("reads streams of any length", () => {
  const [short, long] = [Buffer.alloc(100, "short"), Buffer.alloc(5000, "long")];
  const file = openCompoundFile(makeFile({ Short: short, Long: long }));
  expect(file?.read("Short")).toEqual(short);
  expect(file?.read("Long")).toEqual(long);
  expect(file?.read("None")).toHaveLength(0);
});
