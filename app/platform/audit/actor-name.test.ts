import { expect, it } from "vitest";
import { actorName, authorName } from "./actor-name.shared";
import type { AuditEntry } from "./audit.schema";

const people = { usr_1: "Ana Pereira", usr_2: "Jonas Weber", "workflow:wf_1": "Nightly digest" };
const named = (
  userId: string,
  resource: string,
  actorKind: AuditEntry["actorKind"] = "user",
  address?: string,
) => actorName({ userId, resource, actorKind, address: address ?? null }, people);

it("shows people by name, never by id", () => {
  expect(named("usr_1", "user:usr_1")).toBe("Ana Pereira");
  expect(named("usr_1", "user:usr_2")).toBe("Ana Pereira · Jonas Weber");
  expect(named("usr_2", "persona:per_1", "token")).toBe("Jonas Weber · API token");
  expect(named("usr_9", "user:usr_9")).toBe("Removed member");
  expect(named("system", "index:1", "system")).toBe("System");
});

it("says where a failed sign-in came from, and whose account it was for", () => {
  expect(named("anonymous", "user:usr_1", "user", "203.0.113.9")).toBe("Someone (203.0.113.9) · Ana Pereira");
  expect(named("anonymous", "user:unknown", "user", "203.0.113.9")).toBe("Someone (203.0.113.9)");
  expect(authorName({ userId: "anonymous" }, people)).toBe("Someone");
});

it("names the workflow that acted", () => {
  expect(named("workflow:wf_1", "kv:a", "workflow")).toBe("Workflow Nightly digest");
  expect(named("workflow:wf_2", "kv:a", "workflow")).toBe("Workflow");
  expect(named("usr_1", "document:doc_1", "workflow")).toBe("Ana Pereira · workflow");
});
