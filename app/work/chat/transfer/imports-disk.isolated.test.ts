import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openTestDatabase } from "../../../../tests/support/database";
import { startImport } from "./imports.service.server";

vi.mock(import("~/core/storage-faults.server"), async (original) => ({
  ...(await original()),
  isDiskFull: (_: string, needed?: number) => needed === 500_000_000,
}));

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

async function* upload(size: number) {
  async function* bytes() {
    yield Buffer.alloc(size, " ");
  }
  const file = { name: "file", fileName: "chats.zip", contentType: "application/zip" };
  yield { kind: "file" as const, ...file, bytes: bytes() };
}

it("refuses a large upload that leaves too little of the disk, and keeps nothing of it", async () => {
  await expect(startImport(test.actors.member, upload(16_000_000))).rejects.toMatchObject({
    code: "unavailable",
    message: "The disk has too little space for this file. Ask an admin.",
  });
  expect(readdirSync(join(test.folder, "imports"))).toEqual([]);
  expect((await startImport(test.actors.member, upload(1_000))).state, "a small one fits").toBe("running");
});
