import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { append } from "~/platform/audit/audit.service.server";
import { createGroup } from "~/team/members/groups.service.server";
import { prepareSetup, setUpWithPassword } from "~/team/members/setup.service.server";
import { createToken } from "~/team/members/token.service.server";
import { createCategory } from "~/work/documents/categories/categories.service.server";
import { queueIngest } from "~/work/documents/ingestion/ingest.service.server";
import { createPersona } from "~/work/personas/personas.service.server";
import { createQuickWorkflow } from "~/work/workflows/workflows.service.server";
import { organisations, orgSettings, providers, users } from "../../db/schema";
import { DOCUMENTS, DOMAIN, GROUPS, PEOPLE, PERSONAS, PROVIDERS, TEAM_TITLE, TOKENS } from "./content";

export interface DemoOrganization {
  people: Actor[];
  providers: string[];
  personas: string[];
  tokens: string[];
  workflows: { id: string; name: string; stepId: string; triggerId: string }[];
}

export const emailOf = (first: string, last: string) => `${first}.${last}@${DOMAIN}`.toLowerCase();

async function addOwner(password: string): Promise<Actor> {
  const [[firstName, lastName] = ["", ""]] = PEOPLE;
  const link = await prepareSetup("http://localhost");
  const token = link && new URL(link).searchParams.get("token");
  if (!token) throw new Error("The console is set up already.");
  const email = emailOf(firstName, lastName);
  const { id, orgId } = await setUpWithPassword(token, { email, password, firstName, lastName });
  return { kind: "user", userId: id, orgId, role: "owner" };
}

function addColleagues({ orgId }: Actor): Actor[] {
  const at = now();
  return PEOPLE.slice(1).map(([firstName, lastName, role]) => {
    const id = newId("usr");
    const email = emailOf(firstName, lastName);
    transaction((tx) => {
      tx.insert(users)
        .values({
          id,
          orgId,
          email,
          firstName,
          lastName,
          role,
          status: "active",
          createdAt: at,
          updatedAt: at,
        })
        .run();
      append(
        tx,
        { userId: id, orgId },
        { action: "user.created", resource: `user:${id}`, details: { role, means: "demo" } },
      );
    });
    return { kind: "user", userId: id, orgId, role } as const;
  });
}

function addProviders(owner: Actor): string[] {
  const at = now();
  return PROVIDERS.map(({ type, name, models }, priority) => {
    const id = newId("prv");
    const config = type === "custom" ? { baseUrl: "http://192.0.2.10/v1" } : {};
    transaction((tx) => {
      tx.insert(providers)
        .values({
          id,
          orgId: owner.orgId,
          type,
          displayName: name,
          enabled: true,
          config,
          models: models.map((model) => model.id),
          modelsAt: at,
          priority,
          createdAt: at,
          updatedAt: at,
        })
        .run();
      append(tx, owner, {
        action: "provider.created",
        resource: `provider:${id}`,
        details: { provider: type, name },
      });
    });
    return id;
  });
}

const WORKFLOWS = [
  "Morning digest of new faults",
  "Summarize tickets",
  "Triage service mail",
  "Answer from the manuals",
  "Weekly spare parts report",
];

/** Manual triggers only, so that the demo runs nothing by itself. */
function addWorkflows(people: readonly Actor[]) {
  return WORKFLOWS.map((name, at) => {
    const author = people[3 + at];
    if (!author) throw new Error("The demo has too few people.");
    const { id, steps, triggers } = createQuickWorkflow(author, { name, description: "An example" });
    return { id, name, stepId: steps[0]?.id ?? "", triggerId: triggers[0]?.id ?? "" };
  });
}

export async function addOrganization(password: string): Promise<DemoOrganization> {
  const at = now();
  const owner = await addOwner(password);
  const { orgId } = owner;
  transaction((tx) =>
    tx
      .insert(orgSettings)
      .values({
        orgId,
        key: "organisation",
        value: { teamTitle: TEAM_TITLE, timeZone: "UTC" },
        updatedAt: at,
      })
      .run(),
  );
  const people = [owner, ...addColleagues(owner)];
  const [, admin = owner] = people;
  for (const [name, members] of GROUPS)
    createGroup(owner, { name, members: members.flatMap((index) => people[index]?.userId ?? []) });
  const providerIds = addProviders(owner);
  const personas = PERSONAS.map(
    (persona) =>
      createPersona(admin, {
        ...persona,
        tools: [...persona.tools],
        defaultModel: "gpt-4o",
        reasoningEffort: "default",
        approval: "default",
        visibility: "everyone",
        skills: [],
        assistants: [],
        assistantSteps: 3,
        assistantBudget: 0.1,
        groups: [],
      }).id,
  );
  const tokens = TOKENS.map((name) => createToken(admin, { name, scopes: ["chat.use"] }).id);
  for (const category of new Set(DOCUMENTS.map(([, name]) => name))) createCategory(admin, category);
  for (const [index, [title, category, text]] of DOCUMENTS.entries())
    queueIngest(people[3 + (index % 8)] ?? admin, {
      title,
      category,
      text,
      format: "text",
      visibility: "organisation",
      readers: [],
      refresh: "off",
    });
  return { people, providers: providerIds, personas, tokens, workflows: addWorkflows(people) };
}

export const hasOrganization = () =>
  db().select({ id: organisations.id }).from(organisations).limit(1).get() !== undefined;
