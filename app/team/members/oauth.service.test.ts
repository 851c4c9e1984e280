import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { db, rawDatabase } from "~/core/db.server";
import { setEnv } from "~/core/env.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { users } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { removeMember } from "../../../tests/support/members";
import { inviteMember, renewInvitation } from "./invitation.service.server";
import {
  admitMember,
  changeRole,
  declineMember,
  listMembers,
  resumeMember,
  suspendMember,
} from "./member.service.server";
import { isAdmitted, mappedRole, signInWithIdentity } from "./oauth.service.server";
import type { Claims } from "./oauth-provider.service.server";
import { readSession } from "./session.service.server";
import { prepareSetup } from "./setup.service.server";
import { createToken } from "./token.service.server";

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

  it("give the highest mapped role", () => {
    configure({ OAUTH_ROLE_MAP: "staff=member,ops=admin" });
    expect(mappedRole(person({ groups: ["ops", "staff"] }))).toBe("admin");
    expect(mappedRole(person({ groups: ["constructor", "__proto__"] }))).toBeNull();
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
      /isn't valid or has expired/,
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
    expect(() => signInWithIdentity(person(), { setup: "guess" }, meta)).toThrow(
      /isn't valid, or a newer one/,
    );
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

describe("each sign-in follows the rules of now", () => {
  const RULES = {
    OAUTH_ISSUER: "https://id.example.org/",
    OAUTH_CLIENT_ID: "console",
    OAUTH_ALLOWED_GROUPS: "staff",
    OAUTH_ROLE_MAP: "ops=admin,editors=member",
  };
  const enter = (...groups: string[]) => signInWithIdentity(person({ groups }), {}, meta);
  const find = () => listMembers(store.actors.owner).find(({ email }) => email === "new@example.org");
  const idOf = () => find()?.id ?? "";
  const actionsOf = (id: string) =>
    listAudit(store.actors.owner, { limit: 50 })
      .entries.filter(({ resource, userId }) => resource === `user:${id}` && userId === "system")
      .map(({ action, details }) => [action, details])
      .reverse();

  it("which gives the role of the groups, up and down, and ends earlier sessions", () => {
    configure(RULES);
    const first = enter("staff", "editors");
    expect(roleOf(first)).toBe("member");
    const second = enter("staff", "ops");
    expect([roleOf(first), roleOf(second), find()?.mappedRole]).toEqual([undefined, "admin", "admin"]);
    expect(roleOf(enter("staff"))).toBe("viewer");
    expect(roleOf(enter("staff"))).toBe("viewer");
    expect(actionsOf(idOf())).toEqual([
      ["member.role_changed", { from: "member", to: "admin", means: "rules" }],
      ["member.role_changed", { from: "admin", to: "viewer", means: "rules" }],
    ]);
  });

  it("whose map decides again after a role was set by hand", () => {
    configure(RULES);
    enter("staff", "editors");
    expect(changeRole(store.actors.owner, idOf(), "admin").mappedRole).toBe("member");
    expect(roleOf(enter("staff", "editors"))).toBe("member");
  });

  it("which leaves roles of people in no mapped group, and all without a map", () => {
    configure(RULES);
    enter("staff");
    changeRole(store.actors.owner, idOf(), "member");
    expect(roleOf(enter("staff"))).toBe("member");
    enter("staff", "ops");
    configure({ OAUTH_ALLOWED_GROUPS: "staff" });
    expect(roleOf(enter("staff"))).toBe("admin");
  });

  it("also for an invited person's first", () => {
    configure(RULES);
    const { secret } = inviteMember(store.actors.owner, { email: "new@example.org", role: "admin" });
    const outcome = signInWithIdentity(person({ groups: ["editors"] }), { invite: secret }, meta);
    expect(roleOf(outcome)).toBe("member");
  });

  it("which takes ownership only with a group for owners, and never from the last owner", () => {
    configure(RULES);
    enter("staff", "ops");
    changeRole(store.actors.owner, idOf(), "owner");
    expect(roleOf(enter("staff", "ops"))).toBe("owner");
    const withOwners = { ...RULES, OAUTH_ROLE_MAP: "captains=owner,ops=admin" };
    configure(withOwners);
    suspendMember({ ...store.actors.owner, userId: idOf() }, "usr_owner");
    expect([roleOf(enter("staff", "ops")), roleOf(enter())]).toEqual(["owner", "owner"]);
    resumeMember({ ...store.actors.owner, userId: idOf() }, "usr_owner");
    expect(roleOf(enter("staff", "ops"))).toBe("admin");
    expect(roleOf(enter("staff", "captains"))).toBe("owner");
  });

  it("which refuses whom no rule admits any more, ends their sessions, and lets them in again later", () => {
    configure(RULES);
    const session = enter("staff");
    expect(() => enter("editors")).toThrow("None of your groups has access");
    expect(roleOf(session)).toBeUndefined();
    expect(find()?.status).toBe("suspended");
    expect(() => enter()).toThrow("None of your groups has access");
    expect(roleOf(enter("staff"))).toBe("viewer");
    expect(actionsOf(idOf())).toEqual([
      ["member.suspended", { email: "new@example.org", means: "rules" }],
      ["member.resumed", { email: "new@example.org", means: "rules" }],
    ]);
  });

  it("where an admin's word counts more: admitted, resumed and suspended people stay so", () => {
    configure(RULES);
    expect(roleOf(enter())).toBe("waiting");
    admitMember(store.actors.admin, idOf(), "member");
    expect(roleOf(enter())).toBe("member");
    suspendMember(store.actors.admin, idOf());
    expect(() => enter("staff")).toThrow("Your account is suspended");
    resumeMember(store.actors.admin, idOf());
    removeMember(store.actors.admin, idOf());
    const other = (...groups: string[]) => signInWithIdentity(person({ subject: "sub-2", groups }), {}, meta);
    other("staff");
    expect(() => other()).toThrow("None of your groups has access");
    resumeMember(store.actors.admin, idOf());
    expect(roleOf(other())).toBe("viewer");
  });

  it("which takes nobody's access while there are no rules", () => {
    configure(RULES);
    enter("staff");
    configure({});
    expect(roleOf(enter())).toBe("viewer");
  });

  it("which refuses without a change if the provider left out the groups that decide", () => {
    configure(RULES);
    const session = enter("staff", "ops");
    expect(() => signInWithIdentity(person({ groupsLeftOut: true }), {}, meta)).toThrow(
      /left out your groups/,
    );
    expect([roleOf(session), find()?.status]).toEqual(["admin", "active"]);
  });

  it("which revokes API tokens above the new role", () => {
    configure(RULES);
    enter("staff", "ops");
    const actor = { ...store.actors.admin, userId: idOf() };
    createToken(actor, { name: "scripts", role: "admin" });
    enter("staff", "editors");
    expect(rawDatabase().prepare("select count(*) from api_tokens").pluck().get()).toBe(0);
  });
});

it("a link for a member who had a password replaces it with the identity", () => {
  const { secret } = renewInvitation(store.actors.admin, "usr_member");
  expect(roleOf(signInWithIdentity(person(), { invite: secret }, meta))).toBe("member");
  configure({ OAUTH_ISSUER: "https://id.example.org", OAUTH_CLIENT_ID: "console" });
  expect(listMembers(store.actors.admin).find(({ id }) => id === "usr_member")?.signIn).toEqual(["oauth"]);
  expect(() => renewInvitation(store.actors.admin, "usr_member")).toThrow("signs in with id.example.org");
  // Of another provider: that one can't let them in.
  configure({ OAUTH_ISSUER: "https://new.example.org", OAUTH_CLIENT_ID: "console" });
  expect(renewInvitation(store.actors.admin, "usr_member").member.signIn).toEqual([]);
});
