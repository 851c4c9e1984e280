import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { append } from "~/features/audit/audit.service.server";
import { changesOf } from "~/features/audit/changes.schema";
import { authorise } from "~/features/members/authorisation.server";
import { listModels } from "~/features/models/models.service.server";
import { listTools } from "~/features/tools/tools.service.server";
import {
  countPersonaRows,
  deletePersonaRow,
  findPersonaRow,
  findPersonaRowByName,
  insertPersona,
  listPersonaRows,
  type PersonaRow,
  updatePersonaRow,
} from "./personas.repo.server";
import {
  MODEL_OPTIONS,
  type Persona,
  type PersonaInput,
  PersonaPatch,
  type PersonaQuery,
} from "./personas.schema";

const ALL = -1;

const pages = keyset(z.object({ createdAt: KeyNumber, id: KeyId }));

function toPersona(row: PersonaRow): Persona {
  const { id, name, systemPrompt, defaultModel, mode, tools } = row;
  return {
    id,
    name,
    systemPrompt,
    defaultModel,
    mode,
    tools,
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

/** Every persona of the organisation, newest first. */
export function listPersonas(actor: Actor): Persona[] {
  authorise(actor, "screens.read");
  return listPersonaRows(db(), actor.orgId, ALL).map(toPersona);
}

export function countPersonas(actor: Actor): number {
  authorise(actor, "screens.read");
  return countPersonaRows(db(), actor.orgId);
}

/**
 * The models that the form offers, then those of the given personas if they differ, and which of them are available.
 */
export function offerModels(
  actor: Actor,
  personas: readonly Pick<Persona, "defaultModel">[],
): { id: string; callable: boolean }[] {
  const callable = new Set(listModels(actor).map((model) => model.id));
  const options: readonly string[] = MODEL_OPTIONS;
  const own = new Set(personas.map((one) => one.defaultModel).filter((id) => !options.includes(id)));
  return [...own, ...options].map((id) => ({ id, callable: callable.has(id) }));
}

/** A page of them. `next` is the following page's cursor. */
export function pagePersonas(
  actor: Actor,
  query: PersonaQuery & { find?: string },
): { personas: Persona[]; next?: string } {
  authorise(actor, "screens.read");
  const after = pages.decode(query.cursor);
  const found = listPersonaRows(db(), actor.orgId, query.limit + 1, after, query.find);
  const { rows, ...next } = pages.page(found, query.limit, ({ createdAt, id }) => ({ createdAt, id }));
  return { personas: rows.map(toPersona), ...next };
}

/** @throws AppError `not_found` also for another organization's persona */
export function readPersona(actor: Actor, id: string): Persona {
  authorise(actor, "screens.read");
  return toPersona(requireRow(db(), actor, id));
}

/** A persona by its id or its exact name, as a call of the chat names it; undefined when there is none. */
export function findPersona(actor: Actor, idOrName: string): Persona | undefined {
  authorise(actor, "screens.read");
  const row =
    findPersonaRow(db(), actor.orgId, idOrName) ?? findPersonaRowByName(db(), actor.orgId, idOrName);
  return row && toPersona(row);
}

export function createPersona(actor: Actor, input: PersonaInput): Persona {
  authorise(actor, "personas.write");
  assertTools(actor, input.tools);
  return transaction((tx) => {
    assertFree(tx, actor, input.name);
    const at = now();
    const row: PersonaRow = {
      ...input,
      id: newId("per"),
      orgId: actor.orgId,
      createdBy: actor.userId,
      createdAt: at,
      updatedAt: at,
    };
    insertPersona(tx, row);
    append(tx, actor, {
      action: "persona.created",
      resource: `persona:${row.id}`,
      details: { name: row.name },
    });
    return toPersona(row);
  });
}

/** Changes what the patch names. */
export function updatePersona(actor: Actor, id: string, patch: PersonaPatch): Persona {
  authorise(actor, "personas.write");
  return transaction((tx) => {
    const row = requireRow(tx, actor, id);
    // A tool that is gone since may stay on a persona that has it: what others changed isn't this change's fault.
    assertTools(actor, patch.tools ?? [], row.tools);
    if (patch.name !== undefined && patch.name !== row.name) assertFree(tx, actor, patch.name);
    const changed = { ...row, ...patch, updatedAt: now() };
    updatePersonaRow(tx, changed);
    append(tx, actor, {
      action: "persona.updated",
      resource: `persona:${id}`,
      details: { name: changed.name },
      ...changesOf(PersonaPatch.shape, row, patch),
    });
    return toPersona(changed);
  });
}

export function deletePersona(actor: Actor, id: string): Persona {
  authorise(actor, "personas.write");
  return transaction((tx) => {
    const row = requireRow(tx, actor, id);
    deletePersonaRow(tx, actor.orgId, id);
    append(tx, actor, { action: "persona.deleted", resource: `persona:${id}`, details: { name: row.name } });
    return toPersona(row);
  });
}

function requireRow(tx: Db, actor: Actor, id: string): PersonaRow {
  const row = findPersonaRow(tx, actor.orgId, id);
  if (!row) throw new AppError("not_found", "Persona not found. It may have been deleted.");
  return row;
}

function assertFree(tx: Db, actor: Actor, name: string): void {
  if (!findPersonaRowByName(tx, actor.orgId, name)) return;
  const message = `A persona named "${name}" already exists`;
  throw new AppError("conflict", `${message}.`, { fields: { name: [message] } });
}

function assertTools(actor: Actor, names: readonly string[], kept: readonly string[] = []): void {
  const tools = new Map(listTools(actor).map((tool) => [tool.name, tool]));
  const added = names.filter((name) => !kept.includes(name));
  const refused = added.find((name) => (tools.get(name)?.policy ?? "never") === "never");
  if (refused === undefined) return;
  const message = tools.has(refused)
    ? `${refused} is turned off. Ask an admin to allow it`
    : `Tool "${refused}" not found`;
  throw new AppError("invalid", `${message}.`, { fields: { tools: [message] } });
}

/** What each mode adds to a persona's own words. */
const MODE_WORDS: Record<Persona["mode"], string> = {
  default: "",
  research: "Use your tools to research before you answer. Compare and name your sources.",
  operations: "Be brief and exact. Announce each change before you make it, and report the result.",
  development: "Answer with complete, correct code in fenced blocks that name their language.",
};

/** A persona's instructions to the model: its system prompt and its mode's. */
export function personaPrompt(persona: Pick<Persona, "systemPrompt" | "mode">): string | undefined {
  return [persona.systemPrompt, MODE_WORDS[persona.mode]].filter(Boolean).join("\n\n") || undefined;
}
