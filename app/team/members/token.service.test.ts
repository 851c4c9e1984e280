import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AccessScope, onAccessChanged } from "~/core/access-events.server";
import { setClock } from "~/core/clock.server";
import { db, rawDatabase } from "~/core/db.server";
import { authorise } from "~/platform/rights/authorization.server";
import { apiTokens, users } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import {
  createToken,
  grantableRoles,
  listTokens,
  readToken,
  revokeToken,
  scopesFor,
} from "./token.service.server";

let store: ReturnType<typeof openTestDatabase>;
let at: number;

beforeEach(() => {
  store = openTestDatabase();
  at = 1_800_000_000_000;
  setClock(() => at);
});

afterEach(() => {
  setClock();
  store.close();
});

const make = (input = {}) =>
  createToken(store.actors.member, {
    name: "Build server",
    role: "member",
    scopes: ["chat.use", "tokens.manage"],
    ...input,
  });

describe("an API token", () => {
  it("acts for its owner within its scopes, and is stored hashed", () => {
    const { token, prefix, id } = make();
    expect(token).toMatch(/^qd_[\w-]{43}$/);
    expect(token.startsWith(prefix)).toBe(true);
    const actor = readToken(token);
    expect(actor).toMatchObject({ kind: "token", userId: "usr_member", role: "member", tokenId: id });
    if (!actor) throw new Error("not read");
    expect(() => authorise(actor, "chat.use")).not.toThrow();
    expect(() => authorise(actor, "personas.write")).toThrow(/scope "personas.write"/);
    expect(JSON.stringify(rawDatabase().prepare("select * from api_tokens").all())).not.toContain(token);
    expect(JSON.stringify(rawDatabase().prepare("select * from audit_entries").all())).not.toContain(token);
  });

  it("never exceeds its owner's current permissions", () => {
    const { token } = make();
    db().update(users).set({ role: "viewer" }).where(eq(users.id, "usr_member")).run();
    expect(readToken(token)?.role).toBe("viewer");
    db().update(users).set({ role: "owner" }).where(eq(users.id, "usr_member")).run();
    expect(readToken(token)?.role).toBe("member");
    db().update(users).set({ status: "removed" }).where(eq(users.id, "usr_member")).run();
    expect(readToken(token)).toBeUndefined();
  });

  it("expires at its date", () => {
    const { token, expiresAt } = make({ expiresInDays: 2 });
    expect(expiresAt).toBe(new Date(at + 2 * 86_400_000).toISOString());
    at += 2 * 86_400_000 - 1;
    expect(readToken(token)).toBeDefined();
    at += 1;
    expect(readToken(token)).toBeUndefined();
  });

  it("updates its last use at most once a minute", () => {
    const { token } = make();
    const used = () => db().select().from(apiTokens).get()?.lastUsedAt;
    readToken(token);
    const first = at;
    at += 59_999;
    readToken(token);
    expect(used()).toBe(first);
    at += 1;
    readToken(token);
    expect(used()).toBe(at);
  });

  it("includes its gateway limits", () => {
    expect(readToken(make().token)?.gateway).toEqual({
      models: null,
      requestsPerMinute: null,
      guardrails: null,
    });
    const limited = make({ models: ["gpt-4o", "claude-sonnet-4", "gpt-4o"], requestsPerMinute: 60 });
    expect(limited).toMatchObject({ models: ["gpt-4o", "claude-sonnet-4"], requestsPerMinute: 60 });
    const gateway = { models: ["gpt-4o", "claude-sonnet-4"], requestsPerMinute: 60, guardrails: null };
    expect(readToken(limited.token)?.gateway).toEqual(gateway);
  });

  it("keeps guardrails of its own, and none that add nothing", () => {
    const own = { maskPii: false, blocked: "red valve", moderate: true };
    expect(readToken(make({ guardrails: own }).token)?.gateway?.guardrails).toEqual(own);
    const empty = { maskPii: false, blocked: "", moderate: false };
    expect(readToken(make({ guardrails: empty }).token)?.gateway?.guardrails).toBeNull();
  });

  it("is read from the open database", () => {
    const { token } = make();
    expect(readToken(token)).toBeDefined();
    store.close();
    store = openTestDatabase();
    expect(readToken(token)).toBeUndefined();
    expect(readToken(make().token)).toBeDefined();
  });

  it.each(["", "qd_", "qd_guess", "other", `qd_${"x".repeat(500)}`])("rejects %j", (secret) => {
    expect(readToken(secret)).toBeUndefined();
  });
});

describe("creating and revoking tokens", () => {
  it.each([
    [{ role: "admin" as const }, "role"],
    [{ role: "viewer" as const, scopes: ["chat.use"] }, "scopes"],
    [{ scopes: ["keys.manage"] }, "scopes"],
    [{ scopes: ["everything"] }, "scopes"],
  ])("rejects %j", (input, field) => {
    expect(() => make(input)).toThrowError(
      expect.objectContaining({ code: "invalid", fields: { [field]: [expect.any(String)] } }),
    );
    expect(listTokens(store.actors.member)).toEqual([]);
  });

  it("forbids a token to create another", () => {
    const actor = readToken(make().token);
    if (!actor) throw new Error("not read");
    expect(() => createToken(actor, { name: "b", role: "viewer", scopes: ["screens.read"] })).toThrow(
      /API token can't/,
    );
    expect(listTokens(actor)).toHaveLength(1);
  });

  it("forbids the list to a token without the scope", () => {
    const actor = readToken(make({ scopes: ["chat.use"] }).token);
    if (!actor) throw new Error("not read");
    expect(() => listTokens(actor)).toThrow(/scope/);
    expect(() => revokeToken(actor, actor.tokenId ?? "")).toThrow(/scope/);
  });

  it("lists and revokes their own only", () => {
    const { id, token } = make();
    expect(listTokens(store.actors.owner)).toEqual([]);
    expect(() => revokeToken(store.actors.owner, id)).toThrow(/not found/);
    expect(listTokens(store.actors.member)).toMatchObject([{ id, name: "Build server", lastUsedAt: null }]);
    const notified: [string, AccessScope][] = [];
    const stop = onAccessChanged((...change) => notified.push(change));
    revokeToken(store.actors.member, id);
    stop();
    expect(notified).toEqual([["usr_member", { tokenId: id }]]);
    expect(readToken(token)).toBeUndefined();
    expect(rawDatabase().prepare("select action from audit_entries order by seq").pluck().all()).toEqual([
      "api_token.created",
      "api_token.revoked",
    ]);
  });

  it("grants all of the creator's permissions unless limited", () => {
    const made = createToken(store.actors.member, { name: "all" });
    expect(made.role).toBe("member");
    expect(made.scopes).toEqual(scopesFor("member"));
  });

  it("is limited to fifty", () => {
    for (let count = 0; count < 50; count += 1) make({ name: `t${count}` });
    expect(() => make()).toThrow(/Revoke one first/);
  });

  it("offers grantable roles", () => {
    expect(grantableRoles("member")).toEqual(["viewer", "member"]);
    expect(scopesFor("viewer")).not.toContain("chat.use");
    expect(scopesFor("owner")).toContain("owners.manage");
  });
});
