import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { db, rawDatabase } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { users } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { removeMember } from "../../../tests/support/members";
import { inviteMember } from "./invitation.service.server";
import {
  admitMember,
  declineMember,
  listMembers,
  resumeMember,
  suspendMember,
} from "./member.service.server";
import { isAdmitted, roleFor, signInWithIdentity } from "./oauth.service.server";
import type { Claims } from "./oauth-provider.service.server";
import { readSession } from "./session.service.server";
import { prepareSetup } from "./setup.service.server";

const meta = { address: "192.0.2.1" };
let store: ReturnType<typeof openTestDatabase>;

beforeEach(() => {
  store = openTestDatabase();
});

afterEach(() => store.close());

function configure(extra: Record<string, string>) {
  setEnv({ NODE_ENV: "test", LOG_LEVEL: "silent", DATA_DIR: store.folder, ...extra });
}

const person = (change: Partial<Claims> = {}): Claims => ({
  issuer: "https://id.example.org",
  subject: "sub-1",
  email: "new@example.org",
  emailVerified: true,
  firstName: "New",
  lastName: "Person",
  pictureUrl: undefined,
  groups: [],
  groupsLeftOut: false,
  ...change,
});

function roleOf(outcome: ReturnType<typeof signInWithIdentity>) {
  return outcome.waiting ? "waiting" : readSession(outcome.secret)?.actor.role;
}

describe("the operator's rules", () => {
  it.each([
    [{ emailVerified: true }, true],
    [{ emailVerified: false }, false],
    [{ email: undefined }, false],
    [{ email: "x@evil.example.org" }, false],
    [{ email: "x@example.org.evil.test" }, false],
    [{ email: "x@EXAMPLE.org".toLowerCase() }, true],
  ])("admit by domain %j: %s", (change, admitted) => {
    configure({ OAUTH_ALLOWED_DOMAINS: "Example.org" });
    expect(isAdmitted(person(change))).toBe(admitted);
  });

  it("admit by group without an address", () => {
    configure({ OAUTH_ALLOWED_GROUPS: "staff,ops" });
    expect(isAdmitted(person({ email: undefined, groups: ["ops"] }))).toBe(true);
    expect(isAdmitted(person({ groups: ["other"] }))).toBe(false);
  });

  it("give the highest mapped role, and viewer otherwise", () => {
    configure({ OAUTH_ROLE_MAP: "staff=member,ops=admin" });
    expect(roleFor(person({ groups: ["ops", "staff"] }))).toBe("admin");
    expect(roleFor(person({ groups: ["constructor", "__proto__"] }))).toBe("viewer");
  });

  it("aren't satisfied by a mapped group alone", () => {
    configure({ OAUTH_ROLE_MAP: "ops=admin", OAUTH_ALLOWED_DOMAINS: "elsewhere.test" });
    expect(roleOf(signInWithIdentity(person({ groups: ["ops"] }), {}, meta))).toBe("waiting");
  });
});

describe("an unknown identity", () => {
  it("joins as viewer if the rules admit it", () => {
    configure({ OAUTH_ALLOWED_DOMAINS: "example.org" });
    expect(roleOf(signInWithIdentity(person(), {}, meta))).toBe("viewer");
    expect(roleOf(signInWithIdentity(person(), {}, meta))).toBe("viewer");
    expect(listMembers(store.actors.admin).filter(({ email }) => email === "new@example.org")).toHaveLength(
      1,
    );
  });

  it("waits otherwise until an admin admits it", () => {
    expect(roleOf(signInWithIdentity(person(), {}, meta))).toBe("waiting");
    expect(roleOf(signInWithIdentity(person(), {}, meta))).toBe("waiting");
    const [request] = listMembers(store.actors.admin).filter(({ status }) => status === "waiting");
    expect(listAudit(store.actors.admin, { limit: 9 }).entries).toMatchObject([
      {
        action: "member.requested",
        resource: `user:${request?.id}`,
        userId: request?.id,
        details: { method: "oauth" },
      },
    ]);
    admitMember(store.actors.admin, request?.id ?? "", "member");
    expect(roleOf(signInWithIdentity(person(), {}, meta))).toBe("member");
  });

  it("is admitted at a later sign-in once the rules allow it", () => {
    signInWithIdentity(person(), {}, meta);
    expect(roleOf(signInWithIdentity(person({ subject: "sub-2" }), {}, meta))).toBe("waiting");
    configure({ OAUTH_ALLOWED_DOMAINS: "example.org" });
    expect(roleOf(signInWithIdentity(person(), {}, meta))).toBe("viewer");
  });

  it("is never linked to an account by email address", () => {
    const outcome = signInWithIdentity(person({ email: "owner@example.org" }), {}, meta);
    expect(roleOf(outcome)).toBe("waiting");
    const other = signInWithIdentity(person({ subject: "sub-1", issuer: "https://other.test" }), {}, meta);
    expect(roleOf(other)).toBe("waiting");
    expect(listMembers(store.actors.admin).filter(({ status }) => status === "waiting")).toHaveLength(2);
  });

  it("is rejected before there is an owner", () => {
    rawDatabase().exec("delete from users");
    expect(() => signInWithIdentity(person(), {}, meta)).toThrow(/setup link/);
  });
});

it("a suspended member sees the reason and can't use another account", () => {
  configure({ OAUTH_ALLOWED_DOMAINS: "example.org" });
  signInWithIdentity(person(), {}, meta);
  const id = listMembers(store.actors.admin).find(({ email }) => email === "new@example.org")?.id ?? "";
  suspendMember(store.actors.admin, id);
  expect(() => signInWithIdentity(person(), {}, meta)).toThrow("Your account is suspended");
  const { secret } = inviteMember(store.actors.admin, { email: "other@example.org", role: "member" });
  expect(() => signInWithIdentity(person(), { invite: secret }, meta)).toThrow(/already a member/);
  resumeMember(store.actors.admin, id);
  expect(roleOf(signInWithIdentity(person(), {}, meta))).toBe("viewer");
});

describe("a removed or declined person", () => {
  it("stays out regardless of the rules until invited again", () => {
    configure({ OAUTH_ALLOWED_DOMAINS: "example.org" });
    signInWithIdentity(person(), {}, meta);
    const id = listMembers(store.actors.admin).find(({ email }) => email === "new@example.org")?.id ?? "";
    removeMember(store.actors.admin, id);
    expect(() => signInWithIdentity(person(), {}, meta)).toThrow(/Ask an admin/);
    const { secret } = inviteMember(store.actors.admin, { email: "new@example.org", role: "member" });
    expect(roleOf(signInWithIdentity(person(), { invite: secret }, meta))).toBe("member");
    expect(roleOf(signInWithIdentity(person(), {}, meta))).toBe("member");
  });

  it("refuses another request after a decline", () => {
    signInWithIdentity(person(), {}, meta);
    const [request] = listMembers(store.actors.admin).filter(({ status }) => status === "waiting");
    declineMember(store.actors.admin, request?.id ?? "");
    expect(() => signInWithIdentity(person(), {}, meta)).toThrow(/Ask an admin/);
  });
});

describe("an invitation", () => {
  it("binds its holder's identity once", () => {
    const { secret } = inviteMember(store.actors.admin, { email: "invited@example.org", role: "admin" });
    const outcome = signInWithIdentity(person({ email: "else@example.org" }), { invite: secret }, meta);
    expect(roleOf(outcome)).toBe("admin");
    expect(() => signInWithIdentity(person({ subject: "sub-2" }), { invite: secret }, meta)).toThrow(
      /has expired/,
    );
  });

  it("isn't consumed by an existing member", () => {
    configure({ OAUTH_ALLOWED_DOMAINS: "example.org" });
    signInWithIdentity(person(), {}, meta);
    const { secret } = inviteMember(store.actors.admin, { email: "invited@example.org", role: "admin" });
    expect(() => signInWithIdentity(person(), { invite: secret }, meta)).toThrow(/already a member/);
    expect(roleOf(signInWithIdentity(person({ subject: "sub-2" }), { invite: secret }, meta))).toBe("admin");
  });

  it("resolves a request of the same identity", () => {
    signInWithIdentity(person(), {}, meta);
    const { secret } = inviteMember(store.actors.admin, { email: "new@example.org", role: "member" });
    expect(roleOf(signInWithIdentity(person(), { invite: secret }, meta))).toBe("member");
    expect(listMembers(store.actors.admin).filter(({ status }) => status === "waiting")).toEqual([]);
  });
});

describe("setup", () => {
  it("makes the identity that used the link the owner, once", async () => {
    rawDatabase().exec("delete from users; delete from organisations;");
    const link = new URL((await prepareSetup()) ?? "");
    const setup = link.searchParams.get("token") ?? "";
    expect(() => signInWithIdentity(person(), { setup: "guess" }, meta)).toThrow(/has expired/);
    expect(roleOf(signInWithIdentity(person(), { setup }, meta))).toBe("owner");
    expect(roleOf(signInWithIdentity(person({ subject: "sub-2" }), { setup }, meta))).toBe("waiting");
    expect(roleOf(signInWithIdentity(person(), {}, meta))).toBe("owner");
  });
});

it("updates from the provider except chosen names and a password's address", () => {
  configure({ OAUTH_ALLOWED_DOMAINS: "example.org" });
  signInWithIdentity(person(), {}, meta);
  const find = () => db().select().from(users).where(eq(users.firstName, "Chosen")).get();
  db().update(users).set({ firstName: "Chosen" }).where(eq(users.email, "new@example.org")).run();
  signInWithIdentity(person({ email: "newer@example.org" }), {}, meta);
  expect(find()).toMatchObject({ email: "newer@example.org", lastName: "Person" });
  db().update(users).set({ passwordHash: "$argon2id$" }).where(eq(users.firstName, "Chosen")).run();
  signInWithIdentity(person({ email: "newest@example.org" }), {}, meta);
  expect(find()?.email).toBe("newer@example.org");
});
