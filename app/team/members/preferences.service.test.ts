import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { saveOrgSettings } from "~/platform/settings/settings.repo.server";
import { UserSettingsInput } from "~/platform/settings/settings.schema";
import { openTestDatabase } from "../../../tests/support/database";
import {
  chooseModel,
  chosenModels,
  readUserSettings,
  startAddress,
  updateUserSettings,
} from "./preferences.service.server";
import { readSession, startSession } from "./session.service.server";

describe("user settings", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  it("have the specification's defaults", () => {
    expect(readUserSettings(test.actors.viewer)).toEqual({
      ragEnabled: true,
      ragVectorMode: "qdrant",
      embeddingProvider: "auto",
      embeddingModel: "text-embedding-3-small",
      chunkTokens: 400,
      chunkOverlap: 60,
      rerankModel: null,
      preferredModel: null,
      theme: null,
      enterSends: true,
      memory: false,
      startPage: "dashboard",
    });
  });

  it("lead members to the chat after a sign-in, and everyone where they chose", () => {
    const { viewer, member, admin } = test.actors;
    expect([viewer, member, admin].map(startAddress)).toEqual(["/", "/chat", "/"]);
    for (const actor of [member, admin]) {
      const { startPage } = readUserSettings(actor);
      updateUserSettings(actor, { startPage: startPage === "chat" ? "dashboard" : "chat" });
    }
    updateUserSettings(viewer, { startPage: "chat" });
    expect([viewer, member, admin].map(startAddress), "a viewer has no chat").toEqual(["/", "/", "/chat"]);
  });

  it("keep each user's preferences separate", () => {
    updateUserSettings(test.actors.viewer, { preferredModel: "gpt-4o", theme: "light" });
    updateUserSettings(test.actors.viewer, { theme: null, enterSends: false });
    expect(readUserSettings(test.actors.viewer)).toMatchObject({
      preferredModel: "gpt-4o",
      theme: null,
      enterSends: false,
    });
    expect(readUserSettings(test.actors.member)).toMatchObject({ preferredModel: null, enterSends: true });
    expect(listAudit(test.actors.admin, { limit: 1 }).entries).toEqual([]);
  });

  it("share the rag settings, which only admins can change", () => {
    updateUserSettings(test.actors.admin, { ragVectorMode: "sqlite" });
    updateUserSettings(test.actors.admin, { ragEnabled: false });
    expect(readUserSettings(test.actors.viewer)).toMatchObject({
      ragVectorMode: "sqlite",
      ragEnabled: false,
    });
    expect(listAudit(test.actors.admin, { limit: 1 }).entries[0]).toMatchObject({
      action: "settings.updated",
      resource: "settings:rag",
      before: { ragEnabled: true },
      after: { ragEnabled: false },
    });
    expect(() => updateUserSettings(test.actors.member, { preferredModel: "m", ragEnabled: true })).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
    expect(readUserSettings(test.actors.member)).toMatchObject({ preferredModel: null, ragEnabled: false });
  });

  it("fall back to the default for an unknown stored value", () => {
    const value = { ragVectorMode: "pinecone", ragEnabled: false };
    transaction((tx) => saveOrgSettings(tx, { orgId: test.actors.admin.orgId, key: "rag", value }, 1));
    expect(readUserSettings(test.actors.viewer)).toMatchObject({
      ragVectorMode: "qdrant",
      ragEnabled: false,
    });
  });

  it("reject unknown fields and values", () => {
    for (const wrong of [
      { orgId: "x" },
      { ragVectorMode: "pinecone" },
      { preferredModel: "" },
      { theme: "pink" },
    ]) {
      expect(UserSettingsInput.safeParse(wrong).success).toBe(false);
    }
  });

  it("keep a picked model for the session and as the preference", () => {
    const { secret } = startSession("usr_viewer", {});
    const actor = readSession(secret)?.actor ?? test.actors.viewer;
    chooseModel(actor, { model: "gpt-4o" });
    expect(chosenModels(actor)).toEqual({ session: "gpt-4o", preferred: "gpt-4o" });
    expect(chosenModels(test.actors.viewer)).toEqual({ session: undefined, preferred: "gpt-4o" });
  });
});
