import { parse } from "yaml";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { assertUnchangedSince, laterThan } from "~/core/edits.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { describeIssue } from "~/core/parse";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import type { Ownership } from "~/platform/catalogue/ownership";
import { atLeast, authorise, may } from "~/platform/rights/authorization.server";
import { nameOf } from "~/team/members/member-names.service.server";
import {
  changeSkillAuthor,
  countSkills,
  countSkillsOf,
  deleteSkillRow,
  deleteSkillsOf,
  findSkillNamed,
  findSkillRow,
  insertSkill,
  type ListedSkillRow,
  listSkillRows,
  type SkillRow,
  updateSkillRow,
} from "./skills.repo.server";
import { type ListedSkill, type Skill, SkillFrontMatter, type SkillInput, SkillPatch } from "./skills.schema";

/** Per organization. */
const MAX_SKILLS = 500;
/** Of a front matter, in characters. */
const MAX_FRONT_MATTER = 5000;

const LABELS = { markdown: "SKILL.md", shared: "Shared with the organization" };

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

function refuse(message: string): never {
  throw new AppError("invalid", `${message}.`, { fields: { markdown: [message] } });
}

/** @throws AppError `invalid` at `markdown` */
function readFrontMatter(markdown: string): { name: string; description: string; body: string } {
  const found = FRONT_MATTER.exec(markdown.slice(0, MAX_FRONT_MATTER));
  if (!found) refuse("Begin with a front matter between two lines of ---, with name and description");
  let values: unknown;
  try {
    // Every scalar is text, and an alias can't multiply anything.
    values = parse(found[1] ?? "", { schema: "failsafe", maxAliasCount: 0, logLevel: "error" });
  } catch {
    refuse("The front matter isn't valid YAML");
  }
  const parsed = SkillFrontMatter.safeParse(values ?? {}, { error: describeIssue });
  if (!parsed.success) refuse(parsed.error.issues[0]?.message ?? "The front matter can't be read");
  const body = markdown.slice(found[0].length).trim();
  if (body === "") refuse("Write the instructions below the front matter");
  return { ...parsed.data, body };
}

/** Authors, and admins for shared ones. */
const mayEdit = (actor: Actor, { createdBy, shared }: ListedSkillRow): boolean =>
  may(actor, "personas.write") && (createdBy === actor.userId || (shared && atLeast(actor.role, "admin")));

function toListed(actor: Actor, row: ListedSkillRow): ListedSkill {
  const { id, name, description, shared, createdBy } = row;
  return {
    id,
    name,
    description,
    shared,
    author: { id: createdBy, name: nameOf(actor.orgId, createdBy) },
    canEdit: mayEdit(actor, row),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}

const toSkill = (actor: Actor, row: SkillRow): Skill => ({ ...toListed(actor, row), markdown: row.markdown });

/** Own and shared skills, by name, without their texts. */
export function listSkills(actor: Actor): ListedSkill[] {
  authorise(actor, "screens.read");
  return listSkillRows(db(), actor).map((row) => toListed(actor, row));
}

/** @throws AppError `not_found` */
export function readSkill(actor: Actor, id: string): Skill {
  authorise(actor, "screens.read");
  return toSkill(actor, requireRow(db(), actor, id));
}

export type SkillSummary = Pick<SkillRow, "name" | "description">;

/** Those of the ids that the actor can see. */
export function findSkills(actor: Actor, ids: readonly string[]): SkillSummary[] {
  return [...new Set(ids)].flatMap((id) => findSkillRow(db(), actor, id) ?? []);
}

/** The part of a system prompt that names skills; undefined without any. */
export function skillsPrompt(skills: readonly SkillSummary[]): string | undefined {
  if (skills.length === 0) return undefined;
  const lines = skills.map(({ name, description }) => `- ${name}: ${description.replaceAll(/\s+/g, " ")}`);
  return [
    "You have these skills. Before a task that one is for, load its instructions by its name, then follow them:",
    ...lines,
  ].join("\n");
}

/**
 * The instructions of a visible skill by its name.
 * @param own names of those that the answer's persona has: who writes the prompt can have the model ask for any
 * @throws AppError `not_found`
 */
export function loadSkill(actor: Actor, name: string, own: readonly string[]): string {
  authorise(actor, "chat.use");
  const named = own.includes(name) ? findSkillNamed(db(), actor.orgId, name) : undefined;
  const row = named && findSkillRow(db(), actor, named.id);
  if (!row) throw new AppError("not_found", `Skill "${name}" not found.`);
  return readFrontMatter(row.markdown).body;
}

/** @throws AppError `invalid` for a file that isn't a skill, `conflict` for a taken name or at the maximum */
export function createSkill(actor: Actor, { markdown, shared }: SkillInput): Skill {
  authorise(actor, "personas.write");
  const { name, description } = readFrontMatter(markdown);
  return transaction((tx) => {
    if (countSkills(tx, actor.orgId) >= MAX_SKILLS)
      throw new AppError("conflict", `The organization has ${MAX_SKILLS} skills. Delete one first.`);
    assertNameIsFree(tx, actor, name);
    const at = now();
    const { orgId, userId } = actor;
    const texts = { name, description, markdown, shared };
    const row = { ...texts, id: newId("skl"), orgId, createdBy: userId, createdAt: at, updatedAt: at };
    insertSkill(tx, row);
    append(tx, actor, { action: "skill.created", resource: `skill:${row.id}`, details: { name } });
    return toSkill(actor, row);
  });
}

/**
 * @param read `updatedAt` of the version that was edited; without one the last save wins
 * @throws AppError `not_found`, `forbidden` for others' skills; as `createSkill`
 */
export function updateSkill(actor: Actor, id: string, patch: SkillPatch, read?: string): Skill {
  authorise(actor, "personas.write");
  return transaction((tx) => {
    const row = requireEditable(tx, actor, id);
    assertUnchangedSince(read, { noun: "skill", labels: LABELS, saved: toSkill(actor, row), entered: patch });
    const { name, description } = readFrontMatter(patch.markdown ?? row.markdown);
    if (name !== row.name) assertNameIsFree(tx, actor, name);
    const changed = { ...row, ...patch, name, description, updatedAt: laterThan(row.updatedAt, now()) };
    updateSkillRow(tx, changed);
    append(tx, actor, {
      action: "skill.updated",
      resource: `skill:${id}`,
      details: { name },
      ...changesOf(SkillPatch.shape, row, patch),
    });
    return toSkill(actor, changed);
  });
}

/** Personas that name it answer without it. @throws AppError `not_found`, `forbidden` for others' skills */
export function deleteSkill(actor: Actor, id: string): Skill {
  authorise(actor, "personas.write");
  return transaction((tx) => {
    const row = requireEditable(tx, actor, id);
    deleteSkillRow(tx, id);
    append(tx, actor, { action: "skill.deleted", resource: `skill:${id}`, details: { name: row.name } });
    return toSkill(actor, row);
  });
}

function requireRow(tx: Db, actor: Actor, id: string): SkillRow {
  const row = findSkillRow(tx, actor, id);
  if (!row) throw new AppError("not_found", "Skill not found. It may have been deleted.");
  return row;
}

function requireEditable(tx: Db, actor: Actor, id: string): SkillRow {
  const row = requireRow(tx, actor, id);
  if (mayEdit(actor, row)) return row;
  throw new AppError("forbidden", "Only the skill's author, or an admin, can change it.");
}

function assertNameIsFree(tx: Db, actor: Actor, name: string): void {
  if (!findSkillNamed(tx, actor.orgId, name)) return;
  const message = `A skill named "${name}" already exists`;
  throw new AppError("conflict", `${message}.`, { fields: { markdown: [message] } });
}

export const ownedSkills: Ownership = {
  kind: "skills",
  noun: "skills",
  label: "Skills",
  hint: "Transfer to a member other than yourself, or delete.",
  permission: "personas.write",
  isPrivate: true,
  count: countSkillsOf,
  apply: (tx, owner, { recipient }) =>
    recipient === undefined ? deleteSkillsOf(tx, owner) : changeSkillAuthor(tx, owner, recipient),
};
