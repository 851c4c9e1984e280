import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { RagSettings } from "~/platform/settings/settings.schema";
import {
  readUserSettings,
  saveRagSettings,
  updateUserSettings,
} from "~/team/members/preferences.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { makeCollection } from "../../../tests/support/search-collection";
import { ragStatus } from "./rag-status.service.server";

describe("without QDRANT_URL", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  it("shows a hint for the default store, and a warning only for a chosen one", () => {
    const hint = expect.stringContaining("Qdrant needs QDRANT_URL");
    expect(ragStatus(test.actors.viewer)).toMatchObject({ store: "sqlite", storeHint: hint, notices: [] });
    // An unrelated setting is not a choice of store.
    updateUserSettings(test.actors.admin, { chunkTokens: 300 });
    expect(ragStatus(test.actors.viewer)).toMatchObject({ storeHint: hint, notices: [] });
    // The form sends them all.
    const all = RagSettings.parse(readUserSettings(test.actors.admin));
    saveRagSettings(test.actors.admin, { ...all, embeddingProvider: "builtin" });
    expect(readUserSettings(test.actors.admin).embeddingProvider).toBe("builtin");
    expect(ragStatus(test.actors.viewer)).toMatchObject({ storeHint: hint, notices: [] });
    updateUserSettings(test.actors.admin, { ragVectorMode: "qdrant" });
    const chosen = ragStatus(test.actors.viewer);
    expect(chosen.storeHint).toBeNull();
    expect(chosen.notices.join()).toContain("Qdrant is selected, but QDRANT_URL isn't set");
  });

  it("mentions no store while the active index has no vectors", () => {
    const { index } = makeCollection();
    updateUserSettings(test.actors.admin, { ragVectorMode: "qdrant" });
    expect(ragStatus(test.actors.viewer).notices.join()).toContain("Using the built-in SQLite index instead");
    rawDatabase()
      .prepare("UPDATE search_indexes SET space_id = NULL, store = 'none' WHERE id = ?")
      .run(index.id);
    expect(ragStatus(test.actors.viewer)).toMatchObject({ store: "none", storeProblem: null, notices: [] });
  });
});
