import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGroup, deleteGroup } from "~/team/members/groups.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { PersonaInput } from "./personas.schema";
import {
  createPersona,
  deletePersona,
  findPersona,
  listPersonas,
  pagePersonas,
  readPersona,
  updatePersona,
} from "./personas.service.server";

const MISSING = expect.objectContaining({ code: "not_found" });

describe("sharing a persona", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  const make = (by: "member" | "admin", input: Partial<PersonaInput>) =>
    createPersona(test.actors[by], PersonaInput.parse({ name: "Analyst", ...input }));

  it("of one's own hides it from everyone else but admins", async () => {
    const { id } = make("admin", { visibility: "own" });
    const { member, owner } = test.actors;
    expect(listPersonas(member)).toEqual([]);
    expect((await pagePersonas(member, { limit: 10, cursor: undefined })).personas).toEqual([]);
    expect(findPersona(member, "Analyst")).toBeUndefined();
    expect(findPersona(member, id)).toBeUndefined();
    expect(() => readPersona(member, id)).toThrow(MISSING);
    expect(() => updatePersona(member, id, { name: "Mine" })).toThrow(MISSING);
    expect(() => deletePersona(member, id)).toThrow(MISSING);
    expect(readPersona(owner, id).name).toBe("Analyst");
  });

  it("shows it to the members of its groups until the group is gone", () => {
    const { member, viewer, admin } = test.actors;
    const group = createGroup(admin, { name: "Support", members: [member.userId] });
    const { id, groups } = make("admin", { visibility: "groups", groups: [group.id] });
    expect(groups).toEqual([group.id]);
    expect(readPersona(member, id).groups).toEqual([group.id]);
    expect(() => readPersona(viewer, id)).toThrow(MISSING);
    deleteGroup(admin, group.id);
    expect(() => readPersona(member, id)).toThrow(MISSING);
    expect(readPersona(admin, id)).toEqual(expect.objectContaining({ visibility: "groups", groups: [] }));
  });

  it("is decided by its creator and admins", () => {
    const { member, admin } = test.actors;
    const { id } = make("admin", {});
    expect(() => updatePersona(member, id, { visibility: "own" })).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
    expect(updatePersona(member, id, { visibility: "everyone", mode: "research" }).mode).toBe("research");
    const own = make("member", { name: "Own", visibility: "own" });
    expect(updatePersona(admin, own.id, { visibility: "everyone" }).visibility).toBe("everyone");
    expect(updatePersona(member, own.id, { visibility: "own" }).visibility).toBe("own");
  });

  it("with groups needs at least one that exists", () => {
    const invalid = (message: string) => expect.objectContaining({ code: "invalid", message });
    expect(() => make("member", { visibility: "groups" })).toThrow(invalid("Choose at least one group."));
    expect(() => make("member", { visibility: "groups", groups: ["grp_other"] })).toThrow(
      invalid("Choose groups of this organization only."),
    );
  });

  it("keeps names unique over those that are hidden", () => {
    make("admin", { visibility: "own" });
    expect(() => make("member", {})).toThrow(expect.objectContaining({ code: "conflict" }));
  });
});
