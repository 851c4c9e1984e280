import { Link } from "@remix-run/react";
import type { RagSettings } from "~/platform/settings/settings.schema";
import { formatCount } from "~/ui/format";
import { Notice } from "~/ui/notice";
import type { EmbeddingOffer } from "~/work/index/consent/consent.schema";
import type { RagStatus, SearchIndex } from "~/work/index/indexes.schema";
import type { ListView } from "../../screens/rag-screen.schema";
import { ragAddress } from "../addresses";

interface SettingsHintsProps {
  view: ListView;
  settings: RagSettings;
  status: RagStatus;
  offer: EmbeddingOffer | null;
  mayManage: boolean;
}

export function SettingsHints({ view, settings, status, offer, mayManage }: SettingsHintsProps) {
  const next = nextIndex(status);
  const hints = [
    ...(settings.ragEnabled ? [] : ["RAG is off: documents are kept but not searched."]),
    ...status.notices,
    ...(offer && !offer.postponed ? [`A better embedding model is available: ${offer.model}.`] : []),
    ...(next?.state === "building"
      ? [`A new index is being built, and the current one answers. ${progressLabel(next, mayManage)}.`]
      : []),
  ];
  if (hints.length === 0) return null;
  return (
    <Notice kind={settings.ragEnabled && status.notices.length === 0 ? "info" : "warning"}>
      {hints.map((hint) => (
        <p key={hint}>{hint}</p>
      ))}
      {mayManage && (
        <Link
          to={ragAddress(view, { panel: "settings" })}
          className="inline-flex min-h-8 items-center underline underline-offset-4 pointer-coarse:min-h-11"
        >
          Review Settings
        </Link>
      )}
    </Notice>
  );
}

export const STORES: Record<RagStatus["store"], string> = {
  sqlite: "SQLite (built in)",
  qdrant: "Qdrant",
  none: "None, keywords only",
};

export function nextIndex({ indexes }: RagStatus): SearchIndex | undefined {
  const inState = (...states: SearchIndex["state"][]) => indexes.find(({ state }) => states.includes(state));
  return inState("building") ?? inState("failed", "cancelled");
}

export function progressLabel({ done, total }: SearchIndex, showsCounts: boolean): string {
  if (total === 0) return "Starting";
  return showsCounts
    ? `${formatCount(done)} of ${formatCount(total)} chunks`
    : `${Math.round((done / total) * 100)}%`;
}
