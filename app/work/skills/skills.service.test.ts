import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callTool } from "~/ai/tools/call-tool.service.server";
import { listTools } from "~/ai/tools/tools.service.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { LOAD_SKILL } from "./skills.schema";
import {
  createSkill,
  deleteSkill,
  findSkills,
  listSkills,
  loadSkill,
  readSkill,
  skillsPrompt,
  updateSkill,
} from "./skills.service.server";

const file = (name = "handover", description = "Use it at a handover.", body = "Name what is open.") =>
  `---\nname: ${name}\ndescription: ${description}\nlicense: MIT\n---\n\n${body}\n`;

describe("skills", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  const make = (shared = false, markdown = file()) => createSkill(test.actors.member, { markdown, shared });
  const names = (as: "viewer" | "member" | "admin") => listSkills(test.actors[as]).map(({ name }) => name);

  it("of one's own are hidden from everyone else, admins included", () => {
    const { id } = make();
    const { admin, member, viewer } = test.actors;
    const missing = expect.objectContaining({ code: "not_found" });
    expect(names("member")).toEqual(["handover"]);
    // All texts of an organization are too many for one answer.
    expect(listSkills(member)[0]).not.toHaveProperty("markdown");
    expect(names("admin")).toEqual([]);
    expect(() => readSkill(admin, id)).toThrow(missing);
    expect(() => updateSkill(admin, id, { shared: true })).toThrow(missing);
    expect(() => deleteSkill(admin, id)).toThrow(missing);
    expect(() => loadSkill(admin, "handover", ["handover"])).toThrow(missing);
    expect(findSkills(admin, [id])).toEqual([]);
    updateSkill(member, id, { shared: true });
    expect(names("viewer")).toEqual(["handover"]);
    expect(loadSkill(admin, "handover", ["handover"])).toBe("Name what is open.");
    expect(() => make(false, file("another")) && deleteSkill(viewer, id)).toThrow("Only members");
    expect(updateSkill(admin, id, { markdown: file("shift") }).name).toBe("shift");
  });

  it("are named in the prompt, and loaded by a tool that nobody can select", async () => {
    const { id } = make(false, file("handover", ">-\n  Use it\n  at a handover."));
    const found = findSkills(test.actors.member, [id, id, "skl_gone"]);
    expect(skillsPrompt(found)).toContain("- handover: Use it at a handover.");
    expect(skillsPrompt([])).toBeUndefined();
    const call = (name: string) =>
      callTool(
        test.actors.member,
        LOAD_SKILL,
        { name },
        {
          source: { kind: "chat" },
          signal: new AbortController().signal,
          approval: "none",
          skills: ["handover", "gone"],
        },
      );
    make(true, file("shared"));
    expect(await call("handover")).toEqual({
      ok: true,
      output: { name: "handover", instructions: "Name what is open." },
    });
    // Also one that the person may see, but the persona doesn't have.
    for (const name of ["gone", "shared"])
      expect(await call(name)).toMatchObject({ ok: false, code: "not_found" });
    expect(listTools(test.actors.member).map(({ name }) => name)).not.toContain(LOAD_SKILL);
  });

  it("have a name of their own in the organization", () => {
    make();
    expect(() => createSkill(test.actors.admin, { markdown: file(), shared: false })).toThrow(
      expect.objectContaining({ code: "conflict", message: 'A skill named "handover" already exists.' }),
    );
  });

  it.each([
    ["no front matter", "Name what is open.", "Begin with a front matter"],
    ["an endless front matter", `---\n${"a: b\n".repeat(2000)}---\nText`, "Begin with a front matter"],
    ["no YAML", "---\nname: [\n---\nText", "isn't valid YAML"],
    ["a list", "---\n- name\n---\nText", "holds no fields"],
    ["no description", "---\nname: handover\n---\nText", "Say in a `description`"],
    ["a name with spaces", file("Hand over"), "lower-case letters"],
    ["no instructions", file("handover", "Use it.", " "), "Write the instructions"],
    ["aliases", `---\na: &a [x]\nname: *a\ndescription: *a\n---\nText`, "isn't valid YAML"],
  ])("refuse a file with %s", (_, markdown, message) => {
    expect(() => make(false, markdown)).toThrow(message);
    expect(listSkills(test.actors.member)).toEqual([]);
  });

  it("are audited by name, without their text", () => {
    const { id } = make();
    updateSkill(test.actors.member, id, { markdown: file("handover", "Use it always.", "Name all.") });
    deleteSkill(test.actors.member, id);
    const { entries } = listAudit(test.actors.owner, { limit: 9 });
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ["skill.deleted", { name: "handover" }],
      ["skill.updated", { name: "handover" }],
      ["skill.created", { name: "handover" }],
    ]);
    expect(JSON.stringify(entries)).not.toContain("Name all");
  });
});
