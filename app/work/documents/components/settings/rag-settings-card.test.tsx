import { expect, it } from "vitest";
import { rag } from "~/platform/settings/groups/rag.schema";
import { RagSettings } from "~/platform/settings/settings.schema";
import type { RagStatus } from "~/work/index/indexes.schema";
import { rendered } from "../../../../../tests/support/rendered";
import { RagSettingsCard } from "./rag-settings-card";

const embedder = { kind: "model", label: "bge-m3", model: "bge-m3" } as const;
const STATUS: RagStatus = {
  enabled: true,
  store: "sqlite",
  storeProblem: null,
  storeHint: null,
  embedder,
  next: null,
  notices: [],
  chunkNotice: null,
  server: null,
  vectorExtension: { ok: true },
  indexes: [],
};
const settings = RagSettings.parse(
  Object.fromEntries(Object.entries(rag.fields).map(([name, { fallback }]) => [name, fallback])),
);

it.each<[RagStatus["next"], string, string]>([
  [null, "SQLite (built in)", "bge-m3"],
  [{ store: "qdrant", embedder }, "SQLite (built in); Qdrant after the rebuild", "bge-m3"],
  [
    { store: "none", embedder: null },
    "SQLite (built in); keywords only after the rebuild",
    "bge-m3; keywords only after the rebuild",
  ],
  // Only chunks differ.
  [{ store: "sqlite", embedder }, "SQLite (built in)", "bge-m3"],
])("names what is in use, and what comes after the rebuild: %j", async (next, store, model) => {
  const { document } = await rendered(
    <RagSettingsCard
      rebuildTo={undefined}
      settings={settings}
      version={1}
      status={{ ...STATUS, next }}
      fields={{}}
      offer={null}
      refusal="Only admins can change these settings."
      result={undefined}
    />,
  );
  const shown = [...document.querySelectorAll('[aria-label="In effect"] dd')];
  expect(shown.map(({ textContent }) => textContent)).toEqual([store, model]);
});
