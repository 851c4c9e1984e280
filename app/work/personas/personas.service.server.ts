import { z } from "zod";
import type { OfferedModel } from "~/ai/models/model-picker.shared";
import { listModels, newChatModel, offerModels } from "~/ai/models/models.service.server";
import { listTools } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { type Db, db, transaction } from "~/core/db.server";
import { assertUnchangedSince, laterThan } from "~/core/edits.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { kept } from "~/core/process.server";
import { readInProcess } from "~/core/read-pool.server";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import type { Ownership } from "~/platform/catalogue/ownership";
import { publish } from "~/platform/events/events.service.server";
import { atLeast, authorise } from "~/platform/rights/authorization.server";
import { isGroup } from "~/team/members/groups.service.server";
import { findSkills } from "~/work/skills/skills.service.server";
import {
  changePersonaCreator,
  countPersonasOf,
  deletePersonaRow,
  deletePersonasOf,
  findPersonaRow,
  findPersonaRowByName,
  findPersonasQuery,
  insertPersona,
  isNameTaken,
  listPersonaGroups,
  listPersonaIdsOf,
  listPersonaRows,
  type PersonaRow,
  type PersonaViewer,
  replacePersonaGroups,
  updatePersonaRow,
} from "./personas.repo.server";
import {
  DEFAULT_MODEL,
  MODEL_OPTIONS,
  NEXT_MODEL,
  type Persona,
  type PersonaInput,
  PersonaPatch,
  type PersonaQuery,
} from "./personas.schema";
import { explainUses, MODE_INSTRUCTIONS } from "./personas.shared";

const ALL = -1;

const LABELS = {
  name: "Name",
  systemPrompt: "System prompt",
  defaultModel: "Default model",
  mode: "Mode",
  reasoningEffort: "Effort",
  tools: "Tools",
  skills: "Skills",
  assistants: "Personas it can ask",
  assistantSteps: "Steps per question",
  assistantBudget: "Budget per answer",
  approval: "Approval",
  visibility: "Visible to",
  groups: "Groups",
} satisfies Record<keyof PersonaInput, string>;

const pages = keyset(z.object({ createdAt: KeyNumber, id: KeyId }));

function viewerOf({ orgId, userId, role }: Actor): PersonaViewer {
  return { orgId, userId, seesAll: atLeast(role, "admin") };
}

function toPersonas(tx: Db, rows: readonly PersonaRow[]): Persona[] {
  const shared = rows.filter(({ visibility }) => visibility === "groups").map(({ id }) => id);
  const groups = shared.length > 0 ? listPersonaGroups(tx, shared) : new Map<string, string[]>();
  return rows.map((row) => {
    const { id, name, systemPrompt, defaultModel, mode, tools, approval, visibility, createdBy } = row;
    const { reasoningEffort, skills, assistants, assistantSteps, assistantBudget } = row;
    return {
      id,
      name,
      systemPrompt,
      defaultModel,
      mode,
      reasoningEffort,
      tools,
      skills,
      assistants,
      assistantSteps,
      assistantBudget,
      approval,
      visibility,
      groups: groups.get(id) ?? [],
      createdBy,
      createdAt: new Date(row.createdAt).toISOString(),
      updatedAt: new Date(row.updatedAt).toISOString(),
    };
  });
}

function toPersona(tx: Db, row: PersonaRow): Persona {
  const [persona] = toPersonas(tx, [row]);
  if (!persona) throw new Error("A persona row has no persona.");
  return persona;
}

export function listPersonas(actor: Actor): Persona[] {
  authorise(actor, "screens.read");
  return toPersonas(db(), listPersonaRows(db(), viewerOf(actor), ALL));
}

/** Models that can be called, then the given personas' own and the specification's. */
export const offerPersonaModels = (
  actor: Actor,
  personas: readonly Pick<Persona, "defaultModel">[],
): OfferedModel[] => offerModels(actor, [...personas.map((one) => one.defaultModel), ...MODEL_OPTIONS]);

/** The specification's default where it can be called, else a new chat's model. */
export function defaultPersonaModel(actor: Actor, isAnother: boolean): string {
  const models = listModels(actor);
  const own = isAnother ? NEXT_MODEL : DEFAULT_MODEL;
  return models.some(({ id }) => id === own) ? own : newChatModel(actor, models);
}

/** Names of the personas' available models by id. */
export function nameModels(
  actor: Actor,
  personas: readonly Pick<Persona, "defaultModel">[],
): Readonly<Record<string, string>> {
  const ids = new Set(personas.map(({ defaultModel }) => defaultModel));
  const used = listModels(actor).filter(({ id }) => ids.has(id));
  return Object.fromEntries(used.map(({ id, name }) => [id, name]));
}

export async function pagePersonas(
  actor: Actor,
  query: PersonaQuery & { find?: string },
): Promise<{ personas: Persona[]; next?: string }> {
  authorise(actor, "screens.read");
  const after = pages.decode(query.cursor);
  const viewer = viewerOf(actor);
  const limit = query.limit + 1;
  const found = query.find && findPersonasQuery(db(), viewer, query.find, { limit, after });
  const ids = found ? (await readInProcess([found])).flat(2).map(String) : undefined;
  const results = listPersonaRows(db(), viewer, limit, after, ids);
  const { rows, ...next } = pages.page(results, query.limit, ({ createdAt, id }) => ({ createdAt, id }));
  return { personas: toPersonas(db(), rows), ...next };
}

/** @throws AppError `not_found` */
export function readPersona(actor: Actor, id: string): Persona {
  authorise(actor, "screens.read");
  return toPersona(db(), requireRow(db(), actor, id));
}

/** By id or exact name, among visible ones. */
export function findPersona(actor: Actor, idOrName: string): Persona | undefined {
  authorise(actor, "screens.read");
  const viewer = viewerOf(actor);
  const row = findPersonaRow(db(), viewer, idOrName) ?? findPersonaRowByName(db(), viewer, idOrName);
  return row && toPersona(db(), row);
}

const publishPersonas = ({ orgId }: Pick<Actor, "orgId">) => publish({ topic: "personas", orgId });

export function createPersona(actor: Actor, input: PersonaInput): Persona {
  authorise(actor, "personas.write");
  assertTools(actor, input.tools);
  assertSkills(actor, input.skills);
  assertAssistants(actor, input.assistants);
  return transaction((tx) => {
    assertNameIsFree(tx, actor, input.name);
    assertGroups(tx, actor, input.visibility, input.groups);
    const { groups, ...fields } = input;
    const at = now();
    const { orgId, userId } = actor;
    const row = { ...fields, id: newId("per"), orgId, createdBy: userId, createdAt: at, updatedAt: at };
    insertPersona(tx, row);
    replacePersonaGroups(tx, row.id, input.visibility === "groups" ? groups : []);
    append(tx, actor, {
      action: "persona.created",
      resource: `persona:${row.id}`,
      details: { name: row.name },
    });
    publishPersonas(actor);
    return toPersona(tx, row);
  });
}

/**
 * @param read `updatedAt` of the version that was edited; without one the last save wins
 * @throws AppError `forbidden` unless creator or admin changes the visibility; `conflict` if it changed since
 */
export function updatePersona(actor: Actor, id: string, patch: PersonaPatch, read?: string): Persona {
  authorise(actor, "personas.write");
  return transaction((tx) => {
    const row = requireRow(tx, actor, id);
    // Removed tools may stay.
    assertTools(actor, patch.tools ?? [], row.tools);
    assertSkills(actor, patch.skills ?? [], row.skills);
    assertAssistants(actor, patch.assistants ?? [], row.assistants);
    if (patch.name !== undefined && patch.name !== row.name) assertNameIsFree(tx, actor, patch.name);
    const before = toPersona(tx, row);
    assertUnchangedSince(read, { noun: "persona", labels: LABELS, saved: before, entered: patch });
    const { groups: chosen = before.groups, ...fields } = patch;
    const visibility = patch.visibility ?? row.visibility;
    const groups = visibility === "groups" ? [...new Set(chosen)].sort() : [];
    const isShared = visibility !== row.visibility || groups.join() !== before.groups.join();
    if (isShared) {
      if (!maySharePersona(actor, row))
        throw new AppError("forbidden", "Only the persona's creator, or an admin, can change who sees it.");
      assertGroups(tx, actor, visibility, groups);
    }
    const changed = { ...row, ...fields, updatedAt: laterThan(row.updatedAt, now()) };
    updatePersonaRow(tx, changed);
    if (isShared) replacePersonaGroups(tx, id, groups);
    append(tx, actor, {
      action: "persona.updated",
      resource: `persona:${id}`,
      details: { name: changed.name },
      ...changesOf(PersonaPatch.shape, before, { ...fields, ...(isShared && { visibility, groups }) }),
    });
    publishPersonas(actor);
    return toPersona(tx, changed);
  });
}

/** Its creator and admins. */
export const maySharePersona = (actor: Actor, { createdBy }: Pick<PersonaRow, "createdBy">): boolean =>
  createdBy === actor.userId || atLeast(actor.role, "admin");

function assertGroups(tx: Db, actor: Actor, visibility: Persona["visibility"], ids: readonly string[]): void {
  if (visibility !== "groups") return;
  const refuse = (message: string) => {
    throw new AppError("invalid", `${message}.`, { fields: { groups: [message] } });
  };
  if (ids.length === 0) refuse("Choose at least one group");
  if (!ids.every((id) => isGroup(tx, actor.orgId, id))) refuse("Choose groups of this organization only");
}

/** Keeps conversations. @throws AppError `not_found`, `conflict` with the workflows that use it */
export function deletePersona(actor: Actor, id: string): Persona {
  authorise(actor, "personas.write");
  return transaction((tx) => {
    const row = requireRow(tx, actor, id);
    const uses = usesOf(actor.orgId)(id);
    if (uses.length > 0) throw new AppError("conflict", explainUses(uses));
    const persona = toPersona(tx, row);
    deletePersonaRow(tx, actor.orgId, id);
    append(tx, actor, { action: "persona.deleted", resource: `persona:${id}`, details: { name: row.name } });
    publishPersonas(actor);
    return persona;
  });
}

function requireRow(tx: Db, actor: Actor, id: string): PersonaRow {
  const row = findPersonaRow(tx, viewerOf(actor), id);
  if (!row) throw new AppError("not_found", "Persona not found. It may have been deleted.");
  return row;
}

/** Includes hidden personas. */
export const isPersonaNameTaken = ({ orgId }: Actor, name: string): boolean => isNameTaken(db(), orgId, name);

function assertNameIsFree(tx: Db, actor: Actor, name: string): void {
  if (!isNameTaken(tx, actor.orgId, name)) return;
  const message = `A persona named "${name}" already exists`;
  throw new AppError("conflict", `${message}.`, { fields: { name: [message] } });
}

function assertTools(actor: Actor, names: readonly string[], current: readonly string[] = []): void {
  const tools = new Map(listTools(actor).map((tool) => [tool.name, tool]));
  const added = names.filter((name) => !current.includes(name));
  const refused = added.find((name) => (tools.get(name)?.policy ?? "never") === "never");
  if (refused === undefined) return;
  const message = tools.has(refused)
    ? `${refused} is turned off. An admin can allow it under Settings › Advanced`
    : `Tool "${refused}" not found`;
  throw new AppError("invalid", `${message}.`, { fields: { tools: [message] } });
}

function assertSkills(actor: Actor, ids: readonly string[], current: readonly string[] = []): void {
  const added = ids.filter((id) => !current.includes(id));
  if (findSkills(actor, added).length === new Set(added).size) return;
  const message = "Choose skills that you can see";
  throw new AppError("invalid", `${message}.`, { fields: { skills: [message] } });
}

/** Those of the ids that the actor can see. */
export function findAssistants(actor: Actor, ids: readonly string[]): Pick<Persona, "id" | "name">[] {
  const viewer = viewerOf(actor);
  return [...new Set(ids)].flatMap((id) => findPersonaRow(db(), viewer, id) ?? []);
}

function assertAssistants(actor: Actor, ids: readonly string[], current: readonly string[] = []): void {
  const added = ids.filter((id) => !current.includes(id));
  if (findAssistants(actor, added).length === new Set(added).size) return;
  const message = "Choose personas that you can see";
  throw new AppError("invalid", `${message}.`, { fields: { assistants: [message] } });
}

/** System prompt and mode. */
export function personaPrompt(persona: Pick<Persona, "systemPrompt" | "mode">): string | undefined {
  return [persona.systemPrompt, MODE_INSTRUCTIONS[persona.mode]].filter(Boolean).join("\n\n") || undefined;
}

export const ownedPersonas: Ownership = {
  kind: "personas",
  noun: "personas",
  label: "Personas",
  hint: "Transfer to a member, who then decides who sees them, or delete.",
  permission: "personas.write",
  isPrivate: false,
  count: countPersonasOf,
  apply: (tx, owner, { recipient }) => {
    publishPersonas(owner);
    if (recipient !== undefined) return changePersonaCreator(tx, owner, recipient);
    const uses = listPersonaIdsOf(tx, owner).flatMap(usesOf(owner.orgId));
    if (uses.length > 0) {
      const message = `Transfer them: they are used by ${uses.map((use) => `the ${use}`).join(", ")}`;
      throw new AppError("conflict", `Personas: ${message}.`, { fields: { personas: [message] } });
    }
    return deletePersonasOf(tx, owner);
  },
};

/** Names of the workflows that use each persona of an organization. */
type Uses = (orgId: string) => ReadonlyMap<string, readonly string[]>;

const sources = () => kept("persona uses", () => new Set<Uses>());

/** Keeps personas from being deleted while something uses them. @returns a function to remove it */
export function registerPersonaUses(uses: Uses): () => void {
  sources().add(uses);
  return () => void sources().delete(uses);
}

function usesOf(orgId: string): (id: string) => string[] {
  const all = [...sources()].map((uses) => uses(orgId));
  return (id) => all.flatMap((names) => names.get(id) ?? []);
}

/** Workflow names by visible persona. */
export function listPersonaUses(actor: Actor): Record<string, string[]> {
  authorise(actor, "personas.write");
  const namesOf = usesOf(actor.orgId);
  const used = listPersonas(actor).map(({ id }) => [id, namesOf(id)] as const);
  return Object.fromEntries(used.filter(([, names]) => names.length > 0));
}
