import { statfsSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { describeFullDisk, isDiskFull } from "./storage-faults.server";

vi.mock("node:fs", async (original) => ({
  ...(await original<typeof import("node:fs")>()),
  statfsSync: vi.fn(),
}));

const GB = 1_000_000_000;
/** A file system; 0 files are one that doesn't count them. */
const onDisk = (bytes: number, files: number, ffree: number) =>
  vi.mocked(statfsSync).mockReturnValue({ bsize: 1, bavail: bytes, files, ffree } as never);

it.each([
  ["no bytes", 300_000, 100, 50, true, "The disk is full: 0 MB are free."],
  ["no files", GB, 100, 0, true, "The disk is full: it can't hold more files (0 inodes are free)."],
  ["both", GB, 100, 50, false, "The disk is full: 1000 MB are free."],
  ["bytes, and doesn't count files", GB, 0, 0, false, "The disk is full: 1000 MB are free."],
])("a disk that has %s free", (_, bytes, files, ffree, isFull, text) => {
  onDisk(bytes, files, ffree);
  expect([isDiskFull("/data"), describeFullDisk("/data")]).toEqual([isFull, text]);
});

it("a folder that can't be read isn't called full", () => {
  vi.mocked(statfsSync).mockImplementation(() => {
    throw new Error("ENOENT");
  });
  expect([isDiskFull("/gone"), describeFullDisk("/gone")]).toEqual([false, "The disk is full."]);
});
