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
import { chunkSetKey } from "./chunking/chunk";
import { BUILTIN } from "./embedding/embedder";
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

  it("says which store and embedder come after the rebuild, if others are in effect", () => {
    const { index } = makeCollection();
    const next = () => ragStatus(test.actors.viewer).next;
    const useStore = (store: string) =>
      rawDatabase().prepare("UPDATE search_indexes SET store = ? WHERE id = ?").run(store, index.id);
    const { chunkTokens: target, chunkOverlap: overlap } = readUserSettings(test.actors.admin);
    rawDatabase().prepare("UPDATE chunk_sets SET key = ?").run(chunkSetKey({ target, overlap }));
    rawDatabase().prepare("UPDATE embedding_spaces SET key = ?").run(BUILTIN.key);
    expect(next()).toBeNull();
    useStore("qdrant");
    expect(next()).toMatchObject({ store: "sqlite", embedder: { kind: "lexical" } });
    useStore("sqlite");
    updateUserSettings(test.actors.admin, { ragVectorMode: "off" });
    expect(ragStatus(test.actors.viewer)).toMatchObject({
      store: "sqlite",
      next: { store: "none", embedder: null },
    });
  });
});
