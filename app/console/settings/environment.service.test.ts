import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { addKey } from "~/team/keys/keys.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { readEnvironment } from "./environment.service.server";

describe("the environment's status", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    vi.stubEnv("OPENAI_API_KEY", "sk-value");
    vi.stubEnv("QUARTERDECK_KEY_LAB", "");
    test = openTestDatabase({ OAUTH_ISSUER: "https://login.example", OAUTH_CLIENT_ID: "console" });
    addKey(test.actors.admin, {
      provider: "custom",
      alias: "QUARTERDECK_KEY_LAB",
      origin: "https://lab.example",
    });
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    test.close();
  });
  const find = (name: string) => readEnvironment(test.actors.admin).find((entry) => entry.name === name);

  it("shows which variables are set, never a value", () => {
    expect(find("OPENAI_API_KEY")).toEqual({
      name: "OPENAI_API_KEY",
      description: "API key for OpenAI",
      required: false,
      present: true,
      source: "environment",
      masked: "••••••••",
    });
    expect(JSON.stringify(readEnvironment(test.actors.admin))).not.toContain("sk-value");
  });

  it("shows which variables are required", () => {
    expect(find("OAUTH_CLIENT_ID")).toMatchObject({ required: true });
    expect(find("OWNER_PASSWORD")).toMatchObject({ required: false });
    expect(find("QUARTERDECK_KEY_LAB")).toMatchObject({ required: true, present: false, masked: "" });
  });

  it("shows where each value comes from", () => {
    vi.stubEnv("ENV_FILE_VARIABLES", "HOST OPENAI_API_KEY");
    vi.stubEnv("SESSION_SECRET", "");
    const sources = ["OPENAI_API_KEY", "SESSION_SECRET", "OAUTH_SCOPES", "QDRANT_URL"].map(
      (name) => find(name)?.source,
    );
    vi.unstubAllEnvs();
    expect(sources).toEqual(["file", "generated", "default", "none"]);
  });

  it("requires an admin", () => {
    expect(() => readEnvironment(test.actors.member)).toThrow(expect.objectContaining({ code: "forbidden" }));
  });
});
