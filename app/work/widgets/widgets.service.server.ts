import { z } from "zod";
import { listModels } from "~/ai/models/models.service.server";
import { offerTools } from "~/ai/tools/tools.service.server";
import { accessChanged } from "~/core/access-events.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyId, KeyNumber, keyset } from "~/core/cursor";
import { type Db, db, transaction } from "~/core/db.server";
import { DAY, isoTime } from "~/core/durations";
import { assertUnchangedSince, laterThan } from "~/core/edits.server";
import { AppError } from "~/core/errors";
import { newId, newSecret } from "~/core/ids.server";
import { dayIn, startOfDay } from "~/core/time-zone";
import { WIDGET_USER } from "~/platform/audit/actor-name.shared";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import { oldestKept } from "~/platform/jobs/schedules.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { createBudget } from "~/team/budgets/budgets.service.server";
import { registerActorNames } from "~/team/members/member-names.service.server";
import { onlyReads } from "~/work/chat/temporary/temporary.service.server";
import { ensureCategories } from "~/work/documents/categories/categories.service.server";
import { findPersona, listPersonas, registerPersonaUses } from "~/work/personas/personas.service.server";
import * as repo from "./widgets.repo.server";
import {
  type VisitorConversation,
  type VisitorMessage,
  type Widget,
  type WidgetFields,
  type WidgetInput,
  WidgetPatch,
  WidgetSettings,
} from "./widgets.schema";
import { answerFields, LIMIT_FIELDS, SHOWN_FIELDS } from "./widgets.shared";

/** Per organization. */
const MAX_WIDGETS = 100;
/** Conversations removed per transaction. */
const BATCH = 20;
/** Searched by the setting for documents alone. */
export const SEARCH = "qdrant.search";

const FIELDS = {
  ...SHOWN_FIELDS,
  ...answerFields({ persona: [], model: [], documents: [] }),
  tools: { label: "Tools" },
  ...LIMIT_FIELDS,
};
const LABELS = Object.fromEntries(Object.entries(FIELDS).map(([name, { label }]) => [name, label]));

/** Visitors see what everyone in the organization does, and only search, read and ask. */
export const widgetActor = ({ id, orgId }: Pick<repo.WidgetRow, "id" | "orgId">): Actor => ({
  kind: "token",
  userId: WIDGET_USER + id,
  orgId,
  role: "member",
  scopes: ["screens.read", "chat.use", "documents.search"],
});

export const settingsOf = (row: repo.WidgetRow): WidgetSettings => WidgetSettings.parse(row.settings);

export const hasEnded = ({ expiresAt }: Pick<repo.WidgetRow, "expiresAt">): boolean =>
  expiresAt !== null && now() >= expiresAt;

type Choices = Pick<WidgetFields, "persona" | "model" | "documents">;

/** What keeps it from answering, by field. */
function problemsOf(row: Pick<repo.WidgetRow, "id" | "orgId">, { persona, model, documents }: Choices) {
  const actor = widgetActor(row);
  const problems: Record<string, string[]> = {};
  if (persona !== "" && findPersona(actor, persona)?.id !== persona)
    problems.persona = ["Choose a persona that everyone in the organization sees"];
  if (model !== "" && !listModels(actor).some(({ id }) => id === model))
    problems.model = ["Choose an available model that isn't limited to groups"];
  if (documents.startsWith("cat_") && !categoryOf(row.orgId, documents))
    problems.documents = ["Choose a category that exists"];
  return problems;
}

export const categoryOf = (orgId: string, id: string): string | undefined =>
  ensureCategories(orgId).find((category) => category.id === id)?.name;

function toFields(row: repo.WidgetRow): WidgetFields {
  const { name, personaId, model, expiresAt, orgId } = row;
  const expiresOn = expiresAt === null ? "" : dayIn(expiresAt - 1, orgTimeZone(orgId));
  return { name, persona: personaId ?? "", model, expiresOn, ...settingsOf(row) };
}

function toWidget(row: repo.WidgetRow): Widget {
  const { id, token, enabled, createdAt, updatedAt } = row;
  const fields = toFields(row);
  const [problem] = Object.values(problemsOf(row, fields)).flat();
  return {
    id,
    ...fields,
    path: `/w/${token}`,
    token,
    enabled,
    state: hasEnded(row) ? "ended" : enabled ? "open" : "off",
    problem: problem === undefined ? null : `${problem}.`,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

function toColumns(orgId: string, { name, persona, model, expiresOn, ...settings }: WidgetFields) {
  const next = (day: string) => new Date(Date.parse(day) + DAY).toISOString().slice(0, 10);
  return {
    name,
    personaId: persona || null,
    model,
    expiresAt: expiresOn === "" ? null : startOfDay(next(expiresOn), orgTimeZone(orgId)),
    settings: WidgetSettings.parse(settings),
  };
}

export function listWidgets(actor: Actor): Widget[] {
  authorise(actor, "widgets.manage");
  return repo.listWidgetRows(db(), actor.orgId).map(toWidget);
}

function requireRow(tx: Db, actor: Actor, id: string): repo.WidgetRow {
  authorise(actor, "widgets.manage");
  const row = repo.findWidgetRow(tx, actor.orgId, id);
  if (!row || row.deletedAt !== null)
    throw new AppError("not_found", "Widget not found. It may have been deleted.");
  return row;
}

/** @throws AppError `not_found` */
export const readWidget = (actor: Actor, id: string): Widget => toWidget(requireRow(db(), actor, id));

/** Tools that a visitor's question may lead to: they read, and ask nobody. */
const offered = (actor: Actor) => offerTools(actor).filter((tool) => onlyReads(tool) && tool.name !== SEARCH);

/** For the widget's form. */
export function readWidgetChoices(actor: Actor) {
  authorise(actor, "widgets.manage");
  const toOption = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name });
  return {
    persona: [
      { value: "", label: "None" },
      ...listPersonas(actor)
        .filter(({ visibility }) => visibility === "everyone")
        .map(toOption),
    ],
    model: [
      { value: "", label: "The persona's, or that of new chats" },
      ...listModels(widgetActor({ id: "new", orgId: actor.orgId })).map(toOption),
    ],
    documents: [
      { value: "none", label: "Search none" },
      { value: "all", label: "Search all that everyone in the organization sees" },
      ...ensureCategories(actor.orgId).map(({ id, name }) => ({
        value: id,
        label: `Search the category ${name}`,
      })),
    ],
    tools: offered(actor).map(({ name, title }) => ({ id: name, name, hint: title })),
  };
}

function assertChoices(
  actor: Actor,
  others: readonly repo.WidgetRow[],
  id: string,
  fields: WidgetFields,
  before?: WidgetFields,
): void {
  const errors = problemsOf({ id, orgId: actor.orgId }, fields);
  const names = new Set([...offered(actor).map(({ name }) => name), ...(before?.tools ?? [])]);
  const unknown = fields.tools.find((name) => !names.has(name));
  if (unknown) errors.tools = [`${unknown} can't be used: choose tools that only read and need no approval`];
  if (others.some((other) => other.name === fields.name && other.id !== id))
    errors.name = [`A widget named "${fields.name}" already exists`];
  const [first] = Object.values(errors).flat();
  if (first) throw new AppError("invalid", `${first}.`, { fields: errors });
}

/** @throws AppError `invalid` by field, `conflict` at the maximum */
export function createWidget(
  actor: Actor,
  { budget: limit, budgetPeriod: period, ...fields }: WidgetInput,
): Widget {
  authorise(actor, "widgets.manage");
  return transaction((tx) => {
    const { orgId, userId } = actor;
    const others = repo.listWidgetRows(tx, orgId);
    if (others.length >= MAX_WIDGETS)
      throw new AppError("conflict", `You can have at most ${MAX_WIDGETS} widgets. Delete one first.`);
    const at = now();
    const id = newId("wgt");
    assertChoices(actor, others, id, fields);
    const row: repo.WidgetRow = {
      ...toColumns(orgId, fields),
      id,
      orgId,
      token: newSecret(),
      enabled: true,
      deletedAt: null,
      createdBy: userId,
      createdAt: at,
      updatedAt: at,
    };
    repo.insertWidget(tx, row);
    append(tx, actor, { action: "widget.created", resource: `widget:${id}`, details: { name: row.name } });
    const target = `widget:${id}`;
    createBudget(actor, { target, unit: "money", period, limit, warnAt: 80, unpriced: "allow" });
    return toWidget(row);
  });
}

/**
 * @param read `updatedAt` of the version that was edited; without one the last save wins
 * @throws AppError `not_found`; as `createWidget`
 */
export function updateWidget(actor: Actor, id: string, patch: WidgetPatch, read?: string): Widget {
  const { enabled, ...changes } = patch;
  const widget = transaction((tx) => {
    const row = requireRow(tx, actor, id);
    const before = toFields(row);
    const saved = toWidget(row);
    assertUnchangedSince(read, { noun: "widget", labels: LABELS, saved, entered: patch });
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const fields: WidgetFields = { ...before, ...Object.fromEntries(given) };
    if (given.length > 0) assertChoices(actor, repo.listWidgetRows(tx, actor.orgId), id, fields, before);
    const change = {
      ...toColumns(actor.orgId, fields),
      // The end of a day that nobody changed stays where it was in another time zone.
      ...(fields.expiresOn === before.expiresOn && { expiresAt: row.expiresAt }),
      enabled: enabled ?? row.enabled,
      // Turning it on or off is no edit that another one could overwrite.
      updatedAt: given.length > 0 ? laterThan(row.updatedAt, now()) : row.updatedAt,
    };
    repo.updateWidgetRow(tx, id, change);
    const entry = { resource: `widget:${id}`, details: { name: change.name } };
    if (change.enabled !== row.enabled)
      append(tx, actor, { ...entry, action: change.enabled ? "widget.enabled" : "widget.disabled" });
    if (given.length > 0)
      append(tx, actor, {
        ...entry,
        action: "widget.updated",
        ...changesOf(WidgetPatch.shape, before, changes),
      });
    return toWidget({ ...row, ...change });
  });
  if (widget.state !== "open") stopAnswers(id);
  return widget;
}

/** Running ones end at once. */
const stopAnswers = (id: string) => accessChanged(WIDGET_USER + id);

/** Closes it at once; its conversations are removed by a job. @throws AppError `not_found` */
export function deleteWidget(actor: Actor, id: string): Widget {
  const widget = transaction((tx) => {
    const row = requireRow(tx, actor, id);
    repo.updateWidgetRow(tx, id, { enabled: false, deletedAt: now() });
    append(tx, actor, { action: "widget.deleted", resource: `widget:${id}`, details: { name: row.name } });
    return toWidget(row);
  });
  stopAnswers(id);
  return widget;
}

const pages = keyset(z.object({ updatedAt: KeyNumber, id: KeyId }));

/** Newest first. @throws AppError `not_found` */
export function listVisitorConversations(
  actor: Actor,
  id: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): { conversations: VisitorConversation[]; total: number; next?: string } {
  requireRow(db(), actor, id);
  const found = repo.listConversationRows(db(), id, limit + 1, pages.decode(cursor));
  const { rows, ...next } = pages.page(found, limit, ({ updatedAt, id }) => ({ updatedAt, id }));
  return {
    conversations: rows.map(({ id, firstMessage, questions, createdAt, updatedAt }) => ({
      id,
      firstMessage,
      questions,
      createdAt: isoTime(createdAt),
      updatedAt: isoTime(updatedAt),
    })),
    total: repo.countConversationRows(db(), id),
    ...next,
  };
}

export const toVisitorMessage = (row: repo.MessageRow): VisitorMessage => {
  const { conversationId: _, position: __, createdAt, ...message } = row;
  return { ...message, timestamp: isoTime(createdAt) };
};

const GONE = "Conversation not found. It may have been deleted.";

/** @throws AppError `not_found` */
export function readVisitorConversation(actor: Actor, id: string, conversationId: string): VisitorMessage[] {
  requireRow(db(), actor, id);
  if (!repo.findVisitorConversation(db(), id, conversationId)) throw new AppError("not_found", GONE);
  return repo.listMessageRows(db(), conversationId).map(toVisitorMessage);
}

/** @throws AppError `not_found` */
export function deleteVisitorConversation(actor: Actor, id: string, conversationId: string): void {
  transaction((tx) => {
    const { name } = requireRow(tx, actor, id);
    if (repo.deleteConversations(tx, id, [conversationId]) === 0) throw new AppError("not_found", GONE);
    append(tx, actor, { action: "widget.conversation_deleted", resource: `widget:${id}`, details: { name } });
  });
}

/** Removes some conversations past their retention, and some of deleted widgets. @returns how many */
export function removeOldConversations(): number {
  return transaction((tx) => {
    let removed = 0;
    for (const row of repo.listAllWidgets(tx)) {
      const before =
        row.deletedAt === null ? oldestKept(settingsOf(row).retentionDays * DAY) : Number.MAX_SAFE_INTEGER;
      const ids = repo.listOldConversations(tx, row.id, before, BATCH - removed);
      if (ids.length > 0) removed += repo.deleteConversations(tx, row.id, ids);
      if (removed >= BATCH) break;
      if (row.deletedAt !== null) repo.deleteWidgetRow(tx, row.id);
    }
    return removed;
  });
}

/** At the start: names in usage and audit log, and personas that can't be deleted. @returns a function to stop */
export function startWidgets(): () => void {
  const rows = (orgId: string) => repo.listWidgetRows(db(), orgId);
  const stops = [
    registerActorNames(({ orgId }) =>
      Object.fromEntries(rows(orgId).map(({ id, name }) => [WIDGET_USER + id, name])),
    ),
    registerPersonaUses((orgId) => {
      const uses = new Map<string, string[]>();
      for (const { personaId, name } of rows(orgId))
        if (personaId) uses.set(personaId, [...(uses.get(personaId) ?? []), `widget "${name}"`]);
      return uses;
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
