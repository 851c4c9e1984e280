import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { transaction } from "./db.server";
import { withReserve } from "./disk-reserve.server";
import { setEnv } from "./env.server";

let folder: string;
let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-reserve-"));
  setEnv({ DATA_DIR: folder, LOG_LEVEL: "silent" });
  mkdirSync(join(folder, "reserve"));
  for (const piece of ["1", "2", "3"]) writeFileSync(join(folder, "reserve", piece), "");
});
afterEach(() => {
  setEnv(undefined);
  test.close();
  rmSync(folder, { recursive: true, force: true });
});

const pieces = () => readdirSync(join(folder, "reserve")).length;
const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });

/** Work that fails so many times. */
function refused(times: number, error: Error = full) {
  let left = times;
  return () => {
    if (left-- > 0) throw error;
    return "done";
  };
}

describe("the reserve", () => {
  it("is given to an owner's work piece by piece, until it succeeds or nothing is left", () => {
    expect(withReserve({ role: "owner" }, refused(2))).toBe("done");
    expect(pieces()).toBe(1);
    expect(() => withReserve({ role: "owner" }, refused(5))).toThrow(full);
    expect(pieces()).toBe(0);
  });

  it.each([{ role: "admin" }, { role: "member" }, { role: "viewer" }, undefined] as const)(
    "isn't given to %o",
    (actor) => {
      expect(() => withReserve(actor, refused(1))).toThrow(full);
      expect(pieces()).toBe(3);
    },
  );

  it("is kept when another error stopped the work, and within a transaction", () => {
    expect(() => withReserve({ role: "owner" }, refused(1, new Error("broken")))).toThrow("broken");
    expect(() => transaction(() => withReserve({ role: "owner" }, refused(1)))).toThrow(full);
    expect(pieces()).toBe(3);
  });
});
