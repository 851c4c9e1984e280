import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { ownMemoryMb, reservedMb } from "./process.server";

vi.mock("node:fs", async (original) => ({
  ...(await original<typeof import("node:fs")>()),
  readFileSync: vi.fn(),
}));

const MB_OF_KILOBYTES = 1024 / 1_000_000;

it("reads the memory of this process from the system", () => {
  vi.mocked(readFileSync).mockReturnValue("VmData:\t  300000 kB\nRssAnon:\t  100000 kB\n");
  expect(ownMemoryMb()).toBeCloseTo(100_000 * MB_OF_KILOBYTES);
  expect(reservedMb()).toBeCloseTo(200_000 * MB_OF_KILOBYTES);
});

it("does without a status file that can't be read", () => {
  vi.mocked(readFileSync).mockImplementation(() => {
    throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
  });
  expect(ownMemoryMb()).toBeGreaterThan(1);
  expect(reservedMb()).toBeUndefined();
});
