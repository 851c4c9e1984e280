import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { newId } from "~/core/ids.server";
import { append } from "~/features/audit/audit.service.server";
import { createCategory } from "~/features/knowledge/categories.service.server";
import { IngestInput } from "~/features/knowledge/ingest.schema";
import { queueIngest } from "~/features/knowledge/ingest.service.server";
import { createGroup } from "~/features/members/groups.service.server";
import { hashPassword } from "~/features/members/password.server";
import { createToken } from "~/features/members/token.service.server";
import { createPersona } from "~/features/personas/personas.service.server";
import { findTemplate } from "~/features/workflows/templates";
import { createWorkflow } from "~/features/workflows/workflows.service.server";
import { organisations, orgSettings, providers, users } from "../schema";
import { DOCUMENTS, DOMAIN, GROUPS, PEOPLE, PERSONAS, PROVIDERS, TEAM_TITLE, TOKENS } from "./content";

export interface DemoOrganization {
  /** In the order of `PEOPLE`; the owner is the first. */
  people: Actor[];
  /** Ids in the order of the content. */
  providers: string[];
  personas: string[];
  tokens: string[];
  workflows: { id: string; name: string; steps: number }[];
}

export const emailOf = (first: string, last: string) => `${first}.${last}@${DOMAIN}`.toLowerCase();

function addPeople(orgId: string, passwordHash: string): Actor[] {
  const at = now();
  return PEOPLE.map(([firstName, lastName, role], index) => {
    const id = newId("usr");
    const owner = index === 0;
    transaction((tx) => {
      tx.insert(users)
        .values({
          id,
          orgId,
          email: emailOf(firstName, lastName),
          firstName,
          lastName,
          role,
          status: "active",
          passwordHash: owner ? passwordHash : null,
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
    // The address of the local one is in a network for documentation (RFC 5737).
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

const TEMPLATES: readonly (readonly [id: string, name: string])[] = [
  ["nine-oclock-digest", "Morning digest of new faults"],
  ["webhook-to-summary", "Summarize tickets"],
  ["triage-a-message", "Triage service mail"],
  ["answer-from-documents", "Answer from the manuals"],
  ["weekly-database-report", "Weekly spare parts report"],
];

function addWorkflows(people: readonly Actor[]) {
  return TEMPLATES.map(([id, name], at) => {
    const template = findTemplate(id);
    const author = people[3 + at];
    if (!template || !author) throw new Error(`There is no template ${id}.`);
    const { description, triggers, steps, connections } = template;
    // Disabled: nothing of the demo runs by itself.
    const made = createWorkflow(
      author,
      { name, description, triggers, steps, connections },
      { enabled: false },
    );
    return { id: made.id, name, steps: steps.length };
  });
}

/** Makes the organization with its people, providers, personas, documents and workflows. */
export async function addOrganization(password: string): Promise<DemoOrganization> {
  const at = now();
  const orgId = newId("org");
  const passwordHash = await hashPassword(password);
  transaction((tx) => {
    tx.insert(organisations).values({ id: orgId, name: TEAM_TITLE, createdAt: at }).run();
    tx.insert(orgSettings)
      .values({
        orgId,
        key: "organisation",
        value: { teamTitle: TEAM_TITLE, timeZone: "UTC" },
        updatedAt: at,
      })
      .run();
  });
  const people = addPeople(orgId, passwordHash);
  const [owner, admin = owner] = people;
  if (!owner || !admin) throw new Error("The demo has no people.");
  for (const [name, members] of GROUPS)
    createGroup(owner, { name, members: members.flatMap((index) => people[index]?.userId ?? []) });
  const providerIds = addProviders(owner);
  const personas = PERSONAS.map(
    (persona) => createPersona(admin, { ...persona, tools: [...persona.tools], defaultModel: "gpt-4o" }).id,
  );
  const tokens = TOKENS.map((name) => createToken(admin, { name, scopes: ["chat.use"] }).id);
  for (const category of new Set(DOCUMENTS.map(([, name]) => name))) createCategory(admin, category);
  for (const [index, [title, category, text]] of DOCUMENTS.entries())
    queueIngest(people[3 + (index % 8)] ?? admin, IngestInput.parse({ title, category, text }));
  return { people, providers: providerIds, personas, tokens, workflows: addWorkflows(people) };
}

/** Whether the data folder has an organization. */
export const hasOrganization = () =>
  db().select({ id: organisations.id }).from(organisations).limit(1).get() !== undefined;
