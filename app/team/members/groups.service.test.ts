import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onGroupsChanged } from "~/core/access-events.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { removeMember } from "../../../tests/support/members";
import {
  addToGroup,
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  removeFromGroup,
  updateGroup,
} from "./groups.service.server";
import { suspendMember } from "./member.service.server";

let test: ReturnType<typeof openTestDatabase>;
let changes: string[];
let stop: () => void;
beforeEach(() => {
  test = openTestDatabase();
  changes = [];
  stop = onGroupsChanged((orgId) => changes.push(orgId));
});
afterEach(() => {
  stop();
  test.close();
});

const names = (id: string) => getGroup(test.actors.viewer, id).members.map(({ name }) => name);
const trail = () =>
  listAudit(test.actors.owner, { limit: 20 }).entries.map(({ action, details }) => ({ action, details }));

describe("a group", () => {
  it("is created, renamed, filled and deleted with audit entries", () => {
    const { admin } = test.actors;
    const { id } = createGroup(admin, { name: "Crew", members: ["usr_member"] });
    updateGroup(admin, id, { name: "Bridge crew" });
    addToGroup(admin, id, "usr_viewer");
    expect(names(id)).toEqual(["member", "viewer"]);
    removeFromGroup(admin, id, "usr_member");
    expect(names(id)).toEqual(["viewer"]);
    expect(changes).toHaveLength(2);
    deleteGroup(admin, id);
    expect(listGroups(admin)).toEqual([]);
    expect(trail()).toEqual([
      { action: "group.deleted", details: { name: "Bridge crew" } },
      {
        action: "group.members_changed",
        details: { name: "Bridge crew", added: [], removed: ["usr_member"] },
      },
      {
        action: "group.members_changed",
        details: { name: "Bridge crew", added: ["usr_viewer"], removed: [] },
      },
      { action: "group.renamed", details: { from: "Crew", name: "Bridge crew" } },
      { action: "group.members_changed", details: { name: "Crew", added: ["usr_member"], removed: [] } },
      { action: "group.created", details: { name: "Crew" } },
    ]);
    const { entries } = listAudit(test.actors.owner, { limit: 20 });
    expect(entries.map(({ before, after }) => [before, after])).toEqual([
      [{ name: "Bridge crew", members: ["usr_viewer"] }, null],
      [{ members: expect.arrayContaining(["usr_member", "usr_viewer"]) }, { members: ["usr_viewer"] }],
      [{ members: ["usr_member"] }, { members: ["usr_member", "usr_viewer"] }],
      [{ name: "Crew" }, { name: "Bridge crew" }],
      [{ members: [] }, { members: ["usr_member"] }],
      [null, { name: "Crew" }],
    ]);
  });

  it("has a name of its own, said beside the field", () => {
    const { admin } = test.actors;
    createGroup(admin, { name: "Crew", members: [] });
    const name = ["Another group has this name. Enter a different name."];
    expect(() => createGroup(admin, { name: "CREW", members: [] })).toThrow(
      expect.objectContaining({ code: "conflict", fields: { name } }),
    );
  });

  it("records and publishes nothing without a change", () => {
    const { id } = createGroup(test.actors.admin, { name: "Crew", members: ["usr_member"] });
    const before = trail().length;
    updateGroup(test.actors.admin, id, { name: "Crew", members: ["usr_member"] });
    addToGroup(test.actors.admin, id, "usr_member");
    expect([trail().length, changes]).toEqual([before, []]);
  });

  it("has a unique name and only members of its organization", () => {
    const { admin } = test.actors;
    const { id } = createGroup(admin, { name: "Crew", members: [] });
    const other = createGroup(admin, { name: "Office", members: [] });
    expect(() => createGroup(admin, { name: "crew", members: [] })).toThrow(/has this name/);
    expect(() => updateGroup(admin, other.id, { name: "CREW" })).toThrow(/has this name/);
    updateGroup(admin, id, { name: "CREW" });
    expect(() => addToGroup(admin, id, "usr_nobody")).toThrow(/members of this organization/);
    expect(() => getGroup({ ...admin, orgId: "org_other" }, id)).toThrow(/Group not found/);
  });

  it("is visible to everyone and changed by admins", () => {
    const { id } = createGroup(test.actors.admin, { name: "Crew", members: [] });
    for (const role of ["viewer", "member"] as const) {
      expect(listGroups(test.actors[role])).toHaveLength(1);
      for (const change of [
        () => createGroup(test.actors[role], { name: "Other", members: [] }),
        () => updateGroup(test.actors[role], id, { members: [`usr_${role}`] }),
        () => addToGroup(test.actors[role], id, `usr_${role}`),
        () => removeFromGroup(test.actors[role], id, `usr_${role}`),
        () => deleteGroup(test.actors[role], id),
      ])
        expect(change).toThrow(expect.objectContaining({ code: "forbidden" }));
    }
  });

  it("keeps a suspended member and loses a removed one", () => {
    const { admin } = test.actors;
    const { id } = createGroup(admin, { name: "Crew", members: ["usr_member", "usr_viewer"] });
    suspendMember(admin, "usr_member");
    expect(names(id)).toEqual(["member", "viewer"]);
    removeMember(admin, "usr_viewer");
    expect(names(id)).toEqual(["member"]);
  });
});
