import { z } from "zod";
import type { Actor } from "~/core/actor";
import { yieldToEventLoop } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { KeyId, keyset } from "~/core/cursor";
import { type Db, db, transaction } from "~/core/db.server";
import { assertUnchangedSince, laterThan } from "~/core/edits.server";
import { AppError, type FieldErrors } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { searchMatcher } from "~/core/language/find-terms";
import { kept } from "~/core/process.server";
import { readInProcess } from "~/core/read-pool.server";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import type { Ownership } from "~/platform/catalogue/ownership";
import { publish } from "~/platform/events/events.service.server";
import { atLeast, authorise, may } from "~/platform/rights/authorization.server";
import { nameOf } from "~/team/members/member-names.service.server";
import { filledLength, fillPrompt, refuseBlank, variablesOf } from "./prompt-variables.shared";
import {
  changePromptAuthor,
  countPromptsOf,
  deletePromptRow,
  deletePromptsOf,
  findPromptRow,
  findPromptsQuery,
  insertPrompt,
  listPromptRows,
  type PromptRow,
  updatePromptRow,
} from "./prompts.repo.server";
import {
  type ContributedPrompt,
  type Prompt,
  type PromptInput,
  PromptPatch,
  type PromptQuery,
} from "./prompts.schema";

const MAX_PROMPTS = 500;

const LABELS = {
  name: "Name",
  text: "Prompt",
  shared: "Shared with the organization",
} satisfies Record<keyof PromptInput, string>;

const pages = keyset(z.object({ name: z.string().max(200), id: KeyId }));

/** Authors, and admins for shared ones. */
function mayEdit(actor: Actor, { createdBy, shared }: PromptRow): boolean {
  const isOwn = createdBy === actor.userId;
  return may(actor, "prompts.write") && (isOwn || (shared && atLeast(actor.role, "admin")));
}

function toPrompt(actor: Actor, row: PromptRow): Prompt {
  const { id, name, text, shared, createdBy } = row;
  return {
    id,
    name,
    text,
    variables: variablesOf(text),
    shared,
    author: { id: createdBy, name: nameOf(actor.orgId, createdBy) },
    canEdit: mayEdit(actor, row),
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

function toContributedPrompt({ id, name, text, from, at }: SourcePrompt): Prompt {
  const date = new Date(at).toISOString();
  return {
    id,
    name,
    text,
    variables: variablesOf(text),
    shared: true,
    author: from,
    canEdit: false,
    createdAt: date,
    updatedAt: date,
  };
}

const publishPrompts = ({ orgId }: Pick<Actor, "orgId">) => publish({ topic: "prompts", orgId });

type Position = Pick<Prompt, "name" | "id">;

/** SQLite's order: by bytes. */
const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const compare = (a: Position, b: Position) => compareBytes(a.name, b.name) || compareBytes(a.id, b.id);

function contributedPrompts(orgId: string, find: string, after: Position | undefined): Prompt[] {
  const matches = searchMatcher(find);
  return listSourcePrompts(orgId)
    .filter(({ name, text }) => matches(`${name} ${text}`))
    .filter((prompt) => after === undefined || compare(prompt, after) > 0)
    .map(toContributedPrompt);
}

/** Own, shared and plugins' prompts, by name. */
export async function pagePrompts(
  actor: Actor,
  query: PromptQuery,
): Promise<{ prompts: Prompt[]; next?: string }> {
  authorise(actor, "screens.read");
  const { find, limit, cursor } = query;
  const after = pages.decode(cursor);
  const range = { limit: limit + 1, after };
  const ids =
    find === ""
      ? undefined
      : (await readInProcess([findPromptsQuery(db(), actor, find, range)])).flat(2).map(String);
  const stored = listPromptRows(db(), actor, { ...range, ids }).map((row) => toPrompt(actor, row));
  const results = [...stored, ...contributedPrompts(actor.orgId, find, after)]
    .sort(compare)
    .slice(0, limit + 1);
  const { rows, ...next } = pages.page(results, limit, ({ name, id }) => ({ name, id }));
  return { prompts: rows, ...next };
}

/** Of a list to choose from. */
const MAX_OFFERED = 300;

/** Prompts that one text fills, by name: the first ones. */
export async function listFillablePrompts(actor: Actor): Promise<Prompt[]> {
  const prompts: Prompt[] = [];
  for (let cursor: string | undefined, first = true; first || cursor; first = false) {
    const page = await pagePrompts(actor, { find: "", limit: 100, cursor });
    prompts.push(...page.prompts.filter(({ variables }) => variables.length <= 1));
    cursor = prompts.length < MAX_OFFERED ? page.next : undefined;
    await yieldToEventLoop();
  }
  return prompts;
}

export function readPrompt(actor: Actor, id: string): Prompt {
  authorise(actor, "screens.read");
  const contributed = findSourcePrompt(actor.orgId, id);
  return contributed ? toContributedPrompt(contributed) : toPrompt(actor, requireRow(db(), actor, id));
}

/** Of a filled prompt, in characters. */
const MAX_FILLED = 200_000;

/** @throws AppError `not_found`; `invalid` by value for a blank variable without a default, and above a length */
export function fillStoredPrompt(actor: Actor, id: string, values: readonly string[]): string {
  const { text, variables } = readPrompt(actor, id);
  const fields: FieldErrors = {};
  for (const [index, variable] of variables.entries()) {
    const message = refuseBlank(variable, values[index]);
    if (message !== undefined) fields[`values[${index}]`] = [message];
  }
  const [first] = Object.values(fields).flat();
  if (first !== undefined) throw new AppError("invalid", `${first}.`, { fields });
  const named = new Map(variables.map(({ name }, index) => [name, values[index] ?? ""]));
  if (filledLength(text, named) > MAX_FILLED)
    throw new AppError(
      "invalid",
      `With these values the prompt is longer than ${MAX_FILLED.toLocaleString("en-US")} characters.`,
    );
  return fillPrompt(text, named);
}

/** @throws AppError `conflict` above 500 */
export function createPrompt(actor: Actor, input: PromptInput): Prompt {
  authorise(actor, "prompts.write");
  return transaction((tx) => {
    if (countPromptsOf(tx, actor) >= MAX_PROMPTS)
      throw new AppError("conflict", `You can have at most ${MAX_PROMPTS} prompts. Delete one first.`);
    const at = now();
    const { orgId, userId } = actor;
    const row = { ...input, id: newId("prm"), orgId, createdBy: userId, createdAt: at, updatedAt: at };
    insertPrompt(tx, row);
    append(tx, actor, {
      action: "prompt.created",
      resource: `prompt:${row.id}`,
      details: { name: row.name },
    });
    publishPrompts(actor);
    return toPrompt(actor, row);
  });
}

/** @throws AppError `not_found`, `forbidden` for others' prompts */
export function updatePrompt(actor: Actor, id: string, patch: PromptPatch, read?: string): Prompt {
  authorise(actor, "prompts.write");
  return transaction((tx) => {
    const row = requireEditable(tx, actor, id);
    const saved = toPrompt(actor, row);
    assertUnchangedSince(read, { noun: "prompt", labels: LABELS, saved, entered: patch });
    const changed = { ...row, ...patch, updatedAt: laterThan(row.updatedAt, now()) };
    updatePromptRow(tx, changed);
    append(tx, actor, {
      action: "prompt.updated",
      resource: `prompt:${id}`,
      details: { name: changed.name },
      ...changesOf(PromptPatch.shape, row, patch),
    });
    publishPrompts(actor);
    return toPrompt(actor, changed);
  });
}

/** @throws AppError `not_found`, `forbidden` for others' prompts */
export function deletePrompt(actor: Actor, id: string): Prompt {
  authorise(actor, "prompts.write");
  return transaction((tx) => {
    const row = requireEditable(tx, actor, id);
    deletePromptRow(tx, actor.orgId, id);
    append(tx, actor, { action: "prompt.deleted", resource: `prompt:${id}`, details: { name: row.name } });
    publishPrompts(actor);
    return toPrompt(actor, row);
  });
}

function requireRow(tx: Db, actor: Actor, id: string): PromptRow {
  const row = findPromptRow(tx, actor, id);
  if (!row)
    throw new AppError(
      "not_found",
      explainMissingPrompt(actor.orgId, id) ?? "Prompt not found. It may have been deleted.",
    );
  return row;
}

function requireEditable(tx: Db, actor: Actor, id: string): PromptRow {
  const contributed = findSourcePrompt(actor.orgId, id);
  if (contributed)
    throw new AppError(
      "forbidden",
      `This prompt comes from the plugin ${contributed.from.name} and can't be changed. Copy its text into a prompt of your own.`,
    );
  const row = requireRow(tx, actor, id);
  if (mayEdit(actor, row)) return row;
  throw new AppError("forbidden", "Only the prompt's author, or an admin, can change it.");
}

export const ownedPrompts: Ownership = {
  kind: "prompts",
  noun: "prompts",
  label: "Prompts",
  hint: "Transfer to a member other than yourself, or delete.",
  permission: "prompts.write",
  isPrivate: true,
  count: countPromptsOf,
  apply: (tx, owner, { recipient }) => {
    publishPrompts(owner);
    return recipient === undefined ? deletePromptsOf(tx, owner) : changePromptAuthor(tx, owner, recipient);
  },
};

export interface SourcePrompt extends ContributedPrompt {
  /** `<source>:<prompt>`; stored ids have no colon. */
  id: string;
  from: { id: string; name: string };
  /** Release time, in ms. */
  at: number;
}

/** A source of prompts, such as plugins. */
interface PromptSource {
  list(orgId: string): readonly SourcePrompt[];
  /** Undefined for another source's id. */
  explainMissing(orgId: string, id: string): string | undefined;
}

const sources = () => kept("prompt sources", () => new Set<PromptSource>());

/** @returns a function to unregister */
export function registerPromptSource(source: PromptSource): () => void {
  sources().add(source);
  return () => void sources().delete(source);
}

const listSourcePrompts = (orgId: string): SourcePrompt[] =>
  [...sources()].flatMap((source) => source.list(orgId));

const findSourcePrompt = (orgId: string, id: string): SourcePrompt | undefined =>
  listSourcePrompts(orgId).find((prompt) => prompt.id === id);

/** Undefined if no source knows it. */
const explainMissingPrompt = (orgId: string, id: string): string | undefined =>
  [...sources()].flatMap((source) => source.explainMissing(orgId, id) ?? [])[0];
