import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { setEnv } from "./env.server";
import { seal, unseal } from "./secrets.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

it("unseals for the same purpose only", () => {
  const sealed = seal("a secret ü", "server:1");
  expect(sealed).not.toContain("secret");
  expect(unseal(sealed, "server:1")).toBe("a secret ü");
  expect(unseal(sealed, "server:2")).toBeUndefined();
  expect(seal("a secret ü", "server:1")).not.toBe(sealed);
});

it("opens nothing that was changed, or sealed with another key", () => {
  const sealed = seal("a secret", "server:1");
  const changed = `${sealed.slice(0, 6)}${sealed[6] === "A" ? "B" : "A"}${sealed.slice(7)}`;
  expect([changed, "", "v1.", "v2.abc", "rubbish"].map((text) => unseal(text, "server:1"))).toEqual(
    Array(5).fill(undefined),
  );
  setEnv({ DATA_DIR: test.folder, SEALING_KEY: "another key of at least 32 characters" });
  expect(unseal(sealed, "server:1")).toBeUndefined();
});
