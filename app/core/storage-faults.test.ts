import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setClock } from "./clock.server";
import { setEnv } from "./env.server";
import { AppError } from "./errors";
import { log } from "./log.server";
import {
  explainStorageFault,
  findDamage,
  findStorageProblems,
  isStorageFull,
  readUnlessDamaged,
  recordCheck,
  writeIfPossible,
} from "./storage-faults.server";

let folder: string;
let time: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "quarterdeck-faults-"));
  setEnv({ DATA_DIR: folder, LOG_LEVEL: "silent" });
  time = Date.now();
  setClock(() => time);
});
afterEach(() => {
  recordCheck("quarterdeck.sqlite", undefined);
  // Forgets a full disk.
  time += 3_600_000;
  setClock();
  setEnv(undefined);
  rmSync(folder, { recursive: true, force: true });
});

const fault = (code: string, cause?: unknown) => Object.assign(new Error(`raw ${code}`, { cause }), { code });

const failing = (error: unknown) => () => {
  throw error;
};

describe("a fault of the storage", () => {
  it.each(["ENOSPC", "SQLITE_FULL"])("%s reads as a full disk, also as a cause", (code) => {
    for (const error of [fault(code), new Error("Failed query", { cause: fault(code) })])
      expect(explainStorageFault(error)).toMatchObject({
        code: "disk_full",
        message: expect.stringMatching(/^The disk is full: \d+ MB are free\.$/),
      });
  });

  it("EDQUOT reads as a quota", () => {
    expect(explainStorageFault(fault("EDQUOT"))).toMatchObject({
      code: "disk_full",
      message: "The disk quota is used up.",
    });
  });

  it("of a full disk is remembered for a minute, since a quota shows nowhere else", () => {
    time += 3_600_000;
    expect(isStorageFull()).toBe(false);
    explainStorageFault(fault("EDQUOT"));
    expect(isStorageFull()).toBe(true);
    time += 60_001;
    expect(isStorageFull()).toBe(false);
  });

  it.each(["SQLITE_CORRUPT", "SQLITE_CORRUPT_VTAB", "SQLITE_NOTADB"])(
    "%s is remembered as damage",
    (code) => {
      expect(findDamage()).toBeUndefined();
      expect(explainStorageFault(fault(code))).toMatchObject({
        code: "damaged",
        message: expect.stringContaining("restore a backup"),
      });
      expect(findDamage()).toBe(`raw ${code}`);
      recordCheck("quarterdeck.sqlite", undefined);
      expect(findDamage()).toBeUndefined();
    },
  );

  it("is known from what background work logs", () => {
    log.warn("a deferred write failed", { error: fault("SQLITE_CORRUPT") });
    expect(findDamage()).toBe("raw SQLITE_CORRUPT");
  });

  it("leaves other errors and explained ones as they are", () => {
    const explained = new AppError("conflict", "Taken.", { cause: fault("SQLITE_CORRUPT") });
    for (const error of [fault("SQLITE_BUSY"), fault("SQLITE_IOERR_READ"), explained, "text"])
      expect(explainStorageFault(error)).toBe(error);
    expect(findDamage()).toBeUndefined();
  });

  it("leaves out only what is damaged", () => {
    expect(readUnlessDamaged(() => 1, 0)).toBe(1);
    expect(readUnlessDamaged(failing(fault("SQLITE_CORRUPT")), 0)).toBe(0);
    expect(() => readUnlessDamaged(failing(fault("SQLITE_FULL")), 0)).toThrow("raw SQLITE_FULL");
  });

  it("leaves out what a read only notes on the way", () => {
    expect(() => writeIfPossible(failing(fault("SQLITE_FULL")))).not.toThrow();
    expect(() => writeIfPossible(failing(new Error("raw")))).toThrow("raw");
  });
});

describe("the storage's problems", () => {
  const problems = () => findStorageProblems().map(({ code, message }) => [code, message]);

  it("are none while all is well", () => {
    time += 86_400_000;
    expect(problems()).toEqual([]);
  });

  it("name the damaged file, and what to do", () => {
    time += 86_400_000;
    recordCheck("workspace.db", "page 3 is never used");
    expect(problems()).toEqual([
      ["workspace_damaged", expect.stringMatching(/^An owner can restore .* page 3 is never used$/)],
    ]);
    recordCheck("workspace.db", undefined);
    recordCheck("quarterdeck.sqlite", "page 4 is missing");
    expect(problems()).toEqual([["database_damaged", expect.stringContaining("page 4 is missing")]]);
  });

  it("tell of a full disk, and that new work is refused", () => {
    // Long ago, so that later tests have space.
    time = 1000;
    explainStorageFault(fault("ENOSPC"));
    expect(problems()).toEqual([
      ["disk_full", expect.stringMatching(/^The disk is full: \d+ MB are free\. New work is refused\./)],
    ]);
  });
});
