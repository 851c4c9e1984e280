import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AppError } from "~/core/errors";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type KeyInput, KeyInput as KeyInputSchema } from "./keys.schema";
import {
  addKey,
  changeKeyOrigin,
  keyFor,
  listKeyReferences,
  listKeys,
  removeKey,
} from "./keys.service.server";

describe("key references", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase({ KEY_REFERENCES: "TEAM_GATEWAY_TOKEN" });
    vi.stubEnv("OPENAI_API_KEY", "value-of-openai");
    vi.stubEnv("QUARTERDECK_KEY_LAB", "value-of-lab");
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    test.close();
  });
  const add = (input: KeyInput, role: "admin" | "owner" = "admin") => addKey(test.actors[role], input);
  const lab = { provider: "custom", alias: "QUARTERDECK_KEY_LAB", origin: "https://lab.example" } as const;

  it("shows whether the variable is set, never its value", () => {
    add({ provider: "openai", alias: "OPENAI_API_KEY" });
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    add({ provider: "anthropic", alias: "ANTHROPIC_API_KEY" });
    const keys = listKeys(test.actors.admin);
    expect(keys).toMatchObject([
      { alias: "OPENAI_API_KEY", present: true, origins: ["https://api.openai.com"] },
      { alias: "ANTHROPIC_API_KEY", present: false },
    ]);
    const trail = listAudit(test.actors.admin, { limit: 10 }).entries;
    expect(trail[1]).toMatchObject({
      action: "api_key.created",
      details: { provider: "openai", alias: "OPENAI_API_KEY" },
    });
    expect(JSON.stringify([keys, trail])).not.toContain("value-of-openai");
  });

  it("use a provider's well-known variable without a reference, for its own origin only", () => {
    const request = (origin: string, keyId?: string) =>
      keyFor(test.actors.admin.orgId, { kind: "openai", keyId, origin });
    expect(request("https://api.openai.com")).toBe("value-of-openai");
    expect(request("https://proxy.example")).toBeUndefined();
    expect(
      keyFor(test.actors.admin.orgId, { kind: "custom", origin: "https://api.openai.com" }),
    ).toBeUndefined();
    expect(listKeys(test.actors.admin)).toEqual([
      expect.objectContaining({
        alias: "OPENAI_API_KEY",
        source: "environment",
        present: true,
        createdAt: null,
      }),
    ]);
    expect(() => removeKey(test.actors.admin, "env:OPENAI_API_KEY")).toThrow("not found");
    // A reference takes its place, and where it was sent once stays its only address.
    const { id } = add(
      { provider: "openai", alias: "OPENAI_API_KEY", origin: "https://proxy.example" },
      "owner",
    );
    expect(listKeys(test.actors.admin)).toMatchObject([{ id, source: "reference" }]);
    expect(request("https://api.openai.com")).toBeUndefined();
    expect(request("https://proxy.example")).toBe("value-of-openai");
    removeKey(test.actors.admin, id);
    expect(request("https://api.openai.com")).toBeUndefined();
    expect(listKeys(test.actors.admin)).toEqual([]);
  });

  it.each([
    "sk-proj-abcdefghijklmnop",
    "AIzaSyA1234567890abcdefghijklmnop",
    "hf_abcdefghijklmnopqrstuvwxyz",
    "9f86d081884c7d659a2feaa0c55ad015",
    "postgres://user:secret@db.example/app",
    "Zk39fjQ0aPz81LmvTr5QeX",
    "SESSION_SECRET",
    "PATH",
    "QUARTERDECK_KEY_",
    "openai_api_key",
    "OPENAI_API_KEY ; rm",
    "constructor",
    "__proto__",
  ])("refuses %s without repeating it", (alias) => {
    const error = catchError(() => add({ provider: "other", alias, origin: "https://a.example" }));
    expect(error).toMatchObject({ code: "invalid" });
    expect(error.fields?.alias).toHaveLength(1);
    expect(JSON.stringify([error.message, error.fields])).not.toContain(`${alias} `);
    expect(listKeyReferences(test.actors.admin)).toEqual([]);
  });

  it("allows a name that the operator listed", () => {
    expect(add({ provider: "other", alias: "TEAM_GATEWAY_TOKEN", origin: "https://a.example" }).present).toBe(
      false,
    );
  });

  it("keeps a well-known name to its own provider", () => {
    expect(catchError(() => add({ provider: "custom", alias: "OPENAI_API_KEY" })).fields).toHaveProperty(
      "provider",
    );
    const elsewhere = {
      provider: "openai",
      alias: "OPENAI_API_KEY",
      origin: "https://evil.example",
    } as const;
    expect(catchError(() => add(elsewhere)).message).toContain("Ask an owner");
    expect(add(elsewhere, "owner").origins).toEqual(["https://evil.example"]);
  });

  it("needs an origin for every other name, and reduces an address to it", () => {
    expect(catchError(() => add({ ...lab, origin: undefined })).fields).toHaveProperty("origin");
    const parsed = KeyInputSchema.parse({ ...lab, origin: "https://lab.example:8443/v1/?a=b" });
    expect(add(parsed).origins).toEqual(["https://lab.example:8443"]);
    for (const origin of ["ftp://lab.example", "https://user:pw@lab.example", "lab.example"]) {
      expect(KeyInputSchema.safeParse({ ...lab, origin }).success).toBe(false);
    }
  });

  it("gives the value for its own origin only, at call time", () => {
    const key = add(lab);
    const request = { kind: "custom", origin: "https://lab.example" } as const;
    expect(keyFor(test.actors.admin.orgId, request)).toBe("value-of-lab");
    vi.stubEnv("QUARTERDECK_KEY_LAB", "rotated");
    expect(keyFor(test.actors.admin.orgId, { ...request, keyId: key.id })).toBe("rotated");
    expect(
      keyFor(test.actors.admin.orgId, { ...request, origin: "https://lab.example:444" }),
    ).toBeUndefined();
    const elsewhere = { ...request, keyId: key.id, origin: "https://other.example" };
    expect(catchError(() => keyFor(test.actors.admin.orgId, elsewhere))).toMatchObject({
      code: "provider_key",
    });
    vi.stubEnv("QUARTERDECK_KEY_LAB", "");
    expect(catchError(() => keyFor(test.actors.admin.orgId, request)).message).toContain("is not set");
    removeKey(test.actors.admin, key.id);
    expect(keyFor(test.actors.admin.orgId, request)).toBeUndefined();
    expect(
      catchError(() => keyFor(test.actors.admin.orgId, { ...request, keyId: key.id })).message,
    ).toContain("was removed");
  });

  it("takes the owner to send a name elsewhere, also after removing and under another kind", () => {
    const key = add(lab);
    const moved = { ...lab, origin: "https://evil.example" };
    expect(catchError(() => add({ ...moved, provider: "other" })).message).toContain("Ask an owner");
    removeKey(test.actors.admin, key.id);
    expect(catchError(() => add(moved)).message).toContain("Ask an owner");
    const again = add(lab);
    expect(catchError(() => changeKeyOrigin(test.actors.admin, again.id, moved))).toMatchObject({
      code: "forbidden",
    });
    expect(changeKeyOrigin(test.actors.owner, again.id, moved).origins).toEqual(["https://evil.example"]);
    const details = { provider: "custom", alias: "QUARTERDECK_KEY_LAB" };
    expect(listAudit(test.actors.admin, { limit: 9 }).entries).toMatchObject([
      {
        action: "api_key.updated",
        resource: `key:${again.id}`,
        details,
        before: { origins: ["https://lab.example"] },
        after: { origins: ["https://evil.example"] },
      },
      { action: "api_key.created", resource: `key:${again.id}` },
      { action: "api_key.deleted", resource: `key:${key.id}`, details },
      { action: "api_key.created", resource: `key:${key.id}` },
    ]);
  });

  it("gives a database reference no origin and sends it nowhere", () => {
    const key = add({ provider: "database", alias: "QUARTERDECK_KEY_LAB" });
    expect(key.origins).toEqual([]);
    const request = { kind: "database", keyId: key.id, origin: "https://lab.example" } as const;
    expect(catchError(() => keyFor(test.actors.admin.orgId, request)).code).toBe("provider_key");
    expect(catchError(() => add(lab)).message).toContain("Ask an owner");
  });

  it("refuses a duplicate, an unknown id, another organization's and who isn't an admin", () => {
    const key = add(lab);
    expect(catchError(() => add(lab))).toMatchObject({ code: "conflict" });
    expect(catchError(() => removeKey(test.actors.admin, "key_nope"))).toMatchObject({ code: "not_found" });
    const foreign = { ...test.actors.admin, orgId: "org_other" };
    expect(catchError(() => removeKey(foreign, key.id))).toMatchObject({ code: "not_found" });
    for (const act of [() => listKeys(test.actors.member), () => addKey(test.actors.member, lab)]) {
      expect(catchError(act)).toMatchObject({ code: "forbidden" });
    }
  });
});

function catchError(act: () => unknown): AppError {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}
