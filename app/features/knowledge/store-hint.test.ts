import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { updateUserSettings } from "~/features/settings/settings.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { ragStatus } from "./rag-status.service.server";

describe("without QDRANT_URL", () => {
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(() => {
    test = openTestDatabase();
  });
  afterEach(() => test.close());

  it("the default store is a hint, and a warning only for who chose it", () => {
    const hint = expect.stringContaining("Qdrant serves once QDRANT_URL is set");
    expect(ragStatus(test.actors.viewer)).toMatchObject({ store: "sqlite", storeHint: hint, notices: [] });
    // Another setting is no choice of a store.
    updateUserSettings(test.actors.admin, { chunkTokens: 300 });
    expect(ragStatus(test.actors.viewer)).toMatchObject({ storeHint: hint, notices: [] });
    updateUserSettings(test.actors.admin, { ragVectorMode: "qdrant" });
    const chosen = ragStatus(test.actors.viewer);
    expect(chosen.storeHint).toBeNull();
    expect(chosen.notices.join()).toContain("Qdrant is chosen, but QDRANT_URL isn't set");
  });
});
