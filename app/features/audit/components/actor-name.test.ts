import { expect, it } from "vitest";
import { actorName } from "./actor-name";

const people = { usr_1: "Ana Pereira", usr_2: "Jonas Weber" };
const named = (userId: string, resource: string, actorKind: "user" | "token" | "system" = "user") =>
  actorName({ userId, resource, actorKind }, people);

it("shows people by name, never by id", () => {
  expect(named("usr_1", "user:usr_1")).toBe("Ana Pereira");
  expect(named("usr_1", "user:usr_2")).toBe("Ana Pereira · Jonas Weber");
  expect(named("usr_2", "persona:per_1", "token")).toBe("Jonas Weber · API token");
  expect(named("usr_9", "user:usr_9")).toBe("Removed member");
  expect(named("system", "index:1", "system")).toBe("System");
});
