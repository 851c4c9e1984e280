import Database from "better-sqlite3";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { rawDatabase, vectorExtension } from "./db.server";
import { loadVectorExtension } from "./sqlite-extensions.server";

const extension = vi.hoisted(() => ({ broken: false }));
vi.mock("sqlite-vec", async (original) => {
  const real = await original<typeof import("sqlite-vec")>();
  return {
    ...real,
    load: (raw: Database.Database) => {
      if (extension.broken) throw new Error("no such file for this platform");
      real.load(raw);
    },
  };
});

describe("the vector extension", () => {
  afterEach(() => {
    extension.broken = false;
  });

  it("loads the extension when the database is opened", () => {
    const test = openTestDatabase();
    expect(vectorExtension()).toMatchObject({ ok: true, version: expect.stringMatching(/^v0\./) });
    expect(rawDatabase().prepare("SELECT vec_length(vec_f32('[1, 2, 3]'))").pluck().get()).toBe(3);
    test.close();
  });

  it("is missed without harm where it can't be loaded", () => {
    extension.broken = true;
    const test = openTestDatabase();
    expect(vectorExtension()).toEqual({ ok: false, reason: "no such file for this platform" });
    expect(rawDatabase().prepare("SELECT count(*) FROM chunks").pluck().get()).toBe(0);
    test.close();
  });

  it("works on a read-only connection", () => {
    const raw = new Database(":memory:");
    expect(loadVectorExtension(raw).ok).toBe(true);
    raw.close();
  });
});
